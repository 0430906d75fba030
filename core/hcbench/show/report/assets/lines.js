// Lines: groups that differ only in their place along an axis.

const POINT_AXES = [["budget", "budget"], ["checkpoint", "queries asked"]];

// The axes along which there are lines: [{id, label, place(group), rest(kind, group), values}].
function lineAxes() {
  const parameters = DATA.axes.map(({ id, kind, label, rests, places }) => ({
    id,
    label: `${label} of ${kind === "dataset" ? "data set" : kind}`,
    short: label,
    kind,
    place: (group) => (GROUPS.checkpoint[group] === null ? (places[GROUPS[kind][group]]?.[0] ?? null) : null),
    rest: (of, group) => (of === kind ? (rests[places[GROUPS[kind][group]]?.[1]] ?? labelOf(of, group)) : labelOf(of, group)),
  }));
  const points = POINT_AXES.map(([id, label]) => ({
    id,
    label,
    short: label,
    kind: id,
    place: (group) => (id === "budget" && GROUPS.checkpoint[group] !== null ? null : GROUPS[id][group]),
    rest: labelOf,
  }));
  return [...parameters, ...points]
    .map((about) => ({ ...about, values: distinct(ALL_GROUPS.map(about.place).filter(isNumber)) }))
    .filter(({ values, place, rest }) => {
      const first = new Map();
      return values.length > 1 && ALL_GROUPS.some((group) => {
        if (!isNumber(place(group)) || wasSkipped(group)) return false;
        const line = JSON.stringify(KINDS.map((kind) => rest(kind, group)));
        if (!first.has(line)) first.set(line, place(group));
        return first.get(line) !== place(group);
      });
    });
}

// A name for each item, with the data set, oracle and budget if they vary within an algorithm.
// items: [{algorithm, dataset, oracle, budget}].
function nameItems(items, told = []) {
  const others = ["dataset", "oracle", "budget"].filter((kind) => !told.includes(kind));
  const varies = new Map();
  for (const kind of others) {
    const seen = new Map();
    for (const item of items) {
      const place = JSON.stringify([item.algorithm, ...told.map((of) => item[of])]);
      seen.set(place, (seen.get(place) ?? new Set()).add(item[kind]));
    }
    if ([...seen.values()].some((values) => values.size > 1)) varies.set(kind, true);
  }
  const text = (item, kind) => (kind === "budget" ? `budget ${item.budget?.toLocaleString("en") ?? "none"}` : item[kind]);
  return items.map((item) => {
    const behind = others.filter((kind) => varies.has(kind)).map((kind) => text(item, kind));
    return [...(told.includes("algorithm") ? [] : [item.algorithm]), ...behind].join(" · ") || item.algorithm;
  });
}

// Whether a logarithmic scale suits an axis.
const spansFar = (values) => values.length > 1 && Math.min(...values) > 0 && Math.max(...values) > 30 * Math.min(...values);

const standardError = (metric, group) => {
  const [std, n] = [deviation(metric, group), GROUPS.n[metric][group]];
  return isNumber(std) && n > 1 ? std / Math.sqrt(n) : null;
};

function axisFor(values, title, log, more = {}) {
  const at = (value) => (log ? Math.log(value) : value);
  const [low, high] = [at(values[0]), at(values.at(-1))];
  const apart = values.every((value, i) => !i || at(value) - at(values[i - 1]) > (high - low) / 9);
  const ticks = apart ? { tickmode: "array", tickvals: values, ticktext: values.map((value) => shortNumber(value)) } : {};
  return axis(title, { type: log ? "log" : "linear", ...ticks, ...more });
}

function shortNumber(value) {
  if (Math.abs(value) >= 1e4) return value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
  return significant(value, 4);
}
