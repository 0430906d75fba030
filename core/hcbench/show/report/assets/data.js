// All measurements as columns; see hcbench.show.report.cells.
const DATA = JSON.parse(document.getElementById("data").textContent);
const { groups: GROUPS, cells: CELLS, labels: LABELS, metrics: METRICS, texts: TEXTS } = DATA;
const KINDS = ["algorithm", "dataset", "oracle"];
const N_GROUPS = GROUPS.algorithm.length;
const ALL_GROUPS = Array.from({ length: N_GROUPS }, (_, group) => group);
const REFERENCES = new Set(GROUPS.reference);
const BEST = GROUPS.best.map((of) => new Set(of));

const labelOf = (kind, group) => LABELS[kind][GROUPS[kind][group]];
const mean = (metric, group) => number(GROUPS.mean[metric][group]);
const deviation = (metric, group) => number(GROUPS.std[metric][group]);
const distinct = (values) => [...new Set(values)];

const REASONS = new Map(GROUPS.lacking.map(([group, metric, text]) => [`${group} ${metric}`, TEXTS[text]]));
const NOTES = new Map();
for (const [group, text] of GROUPS.notes) {
  NOTES.set(group, [...(NOTES.get(group) ?? []), TEXTS[text]]);
}

// Whether all cells of a group were skipped.
const wasSkipped = (group) => GROUPS.ok[group] + GROUPS.failed[group] === 0;
