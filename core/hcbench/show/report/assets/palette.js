// Colours, symbols and dashes of lines; see hcbench.analysis.views.palette.

const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "cross", "star", "triangle-down", "pentagon", "hexagon"];

const shade = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const palette = () => DATA.palette[theme.now()];
const colourAt = (place) => palette()[place % palette().length];
const clear = (colour, opacity) => colour + Math.round(opacity * 255).toString(16).padStart(2, "0");

// Looks by the name of a line; lines of one algorithm share its colour, with different dashes.
function looksOf(lines) {
  const looks = new Map();
  const seen = new Map();
  const fresh = new Map();
  for (const { name, algorithm } of lines) {
    if (looks.has(name)) continue;
    const variant = seen.get(algorithm) ?? 0;
    seen.set(algorithm, variant + 1);
    const known = DATA.looks[algorithm];
    if (!known && !fresh.has(algorithm)) fresh.set(algorithm, fresh.size);
    const place = fresh.get(algorithm);
    const [light, dark, symbol, dash] = known ?? [
      DATA.palette.light[place % DATA.palette.light.length],
      DATA.palette.dark[place % DATA.palette.dark.length],
      SYMBOLS[place % SYMBOLS.length],
      "solid",
    ];
    looks.set(name, {
      colour: theme.now() === "dark" ? dark : light,
      symbol: variant && variant % 2 ? `${symbol}-open` : symbol,
      dash: DASHES[(DASHES.indexOf(dash) + variant) % DASHES.length],
    });
  }
  return looks;
}
