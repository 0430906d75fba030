// Formatting of numbers, by the rules of hcbench.analysis.tables.

const ARROWS = { higher: " ↑", lower: " ↓", none: "" };
// Strict JSON has no NaN and no infinity, which are therefore texts.
const number = (value) => (typeof value === "string" ? Number(value) : value);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const SECONDS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];

function fixed(value, decimals) {
  const text = value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}

function significant(value, digits = 3) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e-4 && size < 10 ** digits
    ? String(Number(value.toPrecision(digits)))
    : value.toExponential(digits - 1).replace("e+", "e").replace(/\.?0+e/, "e");
}

// The format of a mean, which its spread shares.
function formFor(value, spread, metric) {
  const scaled = (scales, digits) => {
    const [scale, unit] = scales.find(([s]) => Math.abs(value) >= s) ?? scales.at(-1);
    const whole = value ? Math.floor(Math.log10(Math.abs(value / scale))) + 1 : 1;
    const decimals = unit === "B" ? 0 : Math.max(0, digits - Math.max(whole, 1));
    return { write: (v) => fixed(v / scale, decimals), unit };
  };
  if (metric.unit === "s") return scaled(SECONDS, 3);
  if (metric.unit === "bytes") return scaled(BYTES, 2);
  if (metric.unit === "questions") return { write: (v) => fixed(v, 0), unit: "" };
  if (metric.unitInterval) return { write: (v) => fixed(v, 3), unit: metric.unit };
  const size = Math.max(Math.abs(value), spread ?? 0);
  if (size >= 1e7 || (size > 0 && size < 1e-3)) return { write: significant, unit: metric.unit };
  const decimals = size >= 1e4 ? 0 : size < 100 ? 3 : 1;
  return { write: (v) => fixed(v, decimals), unit: metric.unit };
}

// A mean with its unit, and its spread with the sign before it, as texts.
function parts(value, spread, metric) {
  if (value === null || value === undefined) return { value: "–", spread: "" };
  if (Number.isNaN(value)) return { value: "NaN", spread: "" };
  if (!Number.isFinite(value)) return { value: value > 0 ? "∞" : "−∞", spread: "" };
  const { write, unit } = formFor(value, spread, metric);
  const behind = unit ? ` ${unit}` : "";
  if (!isNumber(spread)) return { value: write(value) + behind, spread: "" };
  return { value: write(value), spread: ` ± ${spread ? write(spread) : "0"}${behind}` };
}

function written(value, spread, metric) {
  const found = parts(value, spread, metric);
  return found.value + found.spread;
}

const counted = (count, noun, plural = `${noun}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
