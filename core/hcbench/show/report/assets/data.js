// What was measured, as columns; see hcbench.show.report.cells.
const DATA = JSON.parse(document.getElementById("data").textContent);
const { groups: GROUPS, cells: CELLS, labels: LABELS, metrics: METRICS, texts: TEXTS } = DATA;
const KINDS = ["algorithm", "dataset", "oracle"];
const N_GROUPS = GROUPS.algorithm.length;
const ALL_GROUPS = Array.from({ length: N_GROUPS }, (_, group) => group);
const REFERENCES = new Set(GROUPS.reference);
const BEST = GROUPS.best.map((of) => new Set(of));
const ARROWS = { higher: " ↑", lower: " ↓", none: "" };

// Strict JSON has no NaN and no infinity: they are texts.
const number = (value) => (typeof value === "string" ? Number(value) : value);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const labelOf = (kind, group) => LABELS[kind][GROUPS[kind][group]];
const mean = (metric, group) => number(GROUPS.mean[metric][group]);
const deviation = (metric, group) => number(GROUPS.std[metric][group]);
const distinct = (values) => [...new Set(values)];

const REASONS = new Map(GROUPS.lacking.map(([group, metric, text]) => [`${group} ${metric}`, TEXTS[text]]));
const NOTES = new Map();
for (const [group, text] of GROUPS.notes) {
  NOTES.set(group, [...(NOTES.get(group) ?? []), TEXTS[text]]);
}

// Whether a group could not be tried at all.
const wasSkipped = (group) => GROUPS.ok[group] + GROUPS.failed[group] === 0;
