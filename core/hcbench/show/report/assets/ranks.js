// Average ranks over data sets: the critical-difference diagram, pairwise tests, profiles.

function makeRanks(place) {
  const { views, reason } = DATA.ranks;
  if (!views.length) {
    place.append(element("p", { text: reason }));
    return;
  }
  const state = { view: views[0], by: "nemenyi" };
  const said = element("ul");
  const draw = () => {
    const left = state.view.leftOut.map(([block, why]) => `Excluded: ${block}: ${why}.`);
    const shown = left.length > 4 ? [...left.slice(0, 3), `Excluded: ${left.length - 3} more.`] : left;
    said.replaceChildren(...[...state.view.lines, ...shown].map((text) => element("li", { text })));
    drawPairs();
    diagram.change();
    profile.change();
  };
  const drawn = (key, convert) => (value) => {
    state[key] = convert(value);
    draw();
  };
  place.append(
    element(
      "div",
      { class: "controls" },
      choice("Metric", views.map(({ metric }, i) => [i, METRICS[metric].label]), 0, drawn("view", (i) => views[Number(i)])),
      choice("Bars join algorithms without a difference by", [["nemenyi", "Nemenyi's test"], ["holm", "Holm-corrected signed-rank tests"]], "nemenyi", drawn("by", String)),
    ),
    said,
    element("h3", { text: "Critical-difference diagram" }),
  );
  const diagram = new Figure(place, "critical-differences", (width) => buildRanks(state, width));
  place.append(element("h3", { text: "Performance profile" }));
  const profile = new Figure(place, "performance-profile", (width) => buildProfile(state.view, width));
  const pairs = element("div");
  const pairsHeading = element("h3", { text: "Pairwise tests" });
  const yes = (value) => (value ? "yes" : "no");
  const table = new SortedTable(pairs, {
    columns: [
      { id: "first", label: "better rank", value: ([first]) => first },
      { id: "second", label: "than", value: ([, second]) => second },
      { id: "difference", label: "difference of ranks", numeric: true, value: (pair) => pair[2], fill: (cell, pair) => cell.append(pair[2].toFixed(2)) },
      { id: "nemenyi", label: "differs by Nemenyi", value: (pair) => yes(pair[3]) },
      { id: "p", label: "p, Holm-corrected", numeric: true, value: (pair) => pair[4], fill: (cell, pair) => cell.append(pair[4] === null ? "–" : significant(pair[4], 2)) },
      { id: "differs", label: "differs by signed ranks", value: (pair) => yes(pair[5]) },
    ],
    name: "pairwise-tests",
    caption: "Pairwise tests",
    noun: "pair",
    pageSize: 10,
  });
  place.append(pairsHeading, pairs);
  const drawPairs = () => {
    table.show(state.view.pairs);
    pairsHeading.hidden = pairs.hidden = !state.view.pairs.length;
  };
  draw();
}

function buildRanks(state, width) {
  const { view } = state;
  const drawn = width < 640 ? rankRows(state, width) : rankLine(state, width);
  return {
    ...drawn,
    fixed: true,
    header: ["algorithm", "average rank"],
    rows: view.competitors.map((name, i) => [name, view.ranks[i]]),
    caption: `Average ranks by ${METRICS[view.metric].label} over ${counted(view.blocks, view.unit)}, 1 is best. Bars join algorithms without a significant difference at the level ${view.alpha}.`,
  };
}

function rankTrace(view, looks, y) {
  const { competitors, ranks } = view;
  return {
    x: ranks,
    y,
    mode: "markers",
    marker: {
      size: 10,
      color: competitors.map((name) => looks.get(name).colour),
      symbol: competitors.map((name) => looks.get(name).symbol),
      line: { color: shade("ground"), width: 1 },
    },
    hoverinfo: "text",
    hovertext: competitors.map((name, i) => plain(`${name}: average rank ${ranks[i].toFixed(3)}`)),
    cliponaxis: false,
  };
}

const HIDDEN_AXIS = { visible: false, fixedrange: true };

// On a narrow page: one row per algorithm, and vertical bars.
function rankRows({ view, by }, width) {
  const { competitors, ranks } = view;
  const k = competitors.length;
  const cliques = by === "nemenyi" ? view.cliques : view.holmCliques;
  const looks = looksOf(competitors.map((name, i) => ({ name, algorithm: view.algorithms[i] })));
  const rows = competitors.map((_, i) => i);
  const bars = cliques.map((clique, i) => ({
    type: "line",
    xref: "paper",
    x0: 1.03 + 0.035 * i,
    x1: 1.03 + 0.035 * i,
    y0: Math.min(...clique) - 0.2,
    y1: Math.max(...clique) + 0.2,
    line: { color: shade("accent"), width: 5 },
  }));
  const lines = rows.map((y) => ({ type: "line", x0: 1, x1: k, y0: y, y1: y, line: { color: shade("line"), width: 1 } }));
  const names = competitors.map((name, y) => ({
    text: `${plain(cut(name, Math.floor(width / 9)))} <b>${ranks[y].toFixed(2)}</b>`,
    x: 0,
    xref: "paper",
    y: y - 0.12,
    xanchor: "left",
    yanchor: "bottom",
    showarrow: false,
  }));
  const wide = view.cd === null ? "" : ` (critical difference ${view.cd.toFixed(2)})`;
  return {
    traces: [rankTrace(view, looks, rows)],
    layout: {
      shapes: [...lines, ...bars],
      annotations: names,
      xaxis: axis(`average rank${wide}`, { range: [1 - 0.04 * k, k + 0.04 * k], fixedrange: true, nticks: 6 }),
      yaxis: { ...HIDDEN_AXIS, range: [k - 0.4, -0.9] },
      margin: { l: 16, r: 24 + 0.035 * width * cliques.length, t: 10, b: 50 },
    },
    height: 70 + 42 * k,
  };
}

// As in Demšar (2006): ranks on an axis, names below it, the better half on the left.
function rankLine({ view, by }, width) {
  const { competitors, ranks } = view;
  const k = competitors.length;
  const half = Math.ceil(k / 2);
  const cliques = by === "nemenyi" ? view.cliques : view.holmCliques;
  const looks = looksOf(competitors.map((name, i) => ({ name, algorithm: view.algorithms[i] })));
  const letters = Math.max(8, Math.floor(width * 0.24 / 7));
  const margin = 7 * Math.min(letters, Math.max(...competitors.map((name) => name.length))) + 70;
  const step = 0.62;
  const top = view.cd === null ? 0.9 : 1.9;
  const cliqueStep = 0.34;
  const start = -0.45 - cliques.length * cliqueStep;
  const ink = shade("text");
  const line = (x0, y0, x1, y1, style = {}) => ({ type: "line", x0, y0, x1, y1, line: { color: ink, width: 1, ...style } });
  const shapes = [line(1, 0, k, 0, { width: 1.4 })];
  const annotations = [];
  const write = (text, x, y, more) => annotations.push({ text, x, y, showarrow: false, ...more });
  const every = Math.max(1, Math.ceil(k / 12));
  for (let rank = 1; rank <= k; rank += every) {
    shapes.push(line(rank, 0, rank, 0.18));
    write(String(rank), rank, 0.2, { yanchor: "bottom" });
  }
  if (view.cd !== null) {
    shapes.push(line(1, 1.35, Math.min(1 + view.cd, k), 1.35, { width: 2.5 }), line(1, 1.22, 1, 1.48), line(Math.min(1 + view.cd, k), 1.22, Math.min(1 + view.cd, k), 1.48));
    write(`critical difference ${view.cd.toFixed(2)}${1 + view.cd > k ? ", larger than the range" : ""}`, 1, 1.42, { xanchor: "left", yanchor: "bottom" });
  }
  cliques.forEach((clique, i) => {
    const of = clique.map((place) => ranks[place]);
    const y = -0.3 - i * cliqueStep;
    shapes.push(line(Math.min(...of) - 0.03 * k, y, Math.max(...of) + 0.03 * k, y, { width: 5, color: shade("accent") }));
  });
  const edge = 0.04 * (k - 1);
  competitors.forEach((name, i) => {
    const isLeft = i < half;
    const y = start - step * (isLeft ? i : k - 1 - i);
    const side = isLeft ? 1 - edge : k + edge;
    const { colour } = looks.get(name);
    shapes.push(line(ranks[i], 0, ranks[i], y, { color: colour, width: 1.5 }), line(ranks[i], y, side, y, { color: colour, width: 1.5 }));
    write(`${plain(cut(name, letters))} <b>${ranks[i].toFixed(2)}</b>`, side, y, {
      xanchor: isLeft ? "right" : "left",
      xshift: isLeft ? -4 : 4,
      hovertext: plain(`${name}: average rank ${ranks[i].toFixed(3)}`),
    });
  });
  const lowest = start - step * half;
  return {
    traces: [rankTrace(view, looks, ranks.map(() => 0))],
    layout: {
      shapes,
      annotations,
      xaxis: { ...HIDDEN_AXIS, range: [1 - 1.2 * edge, k + 1.2 * edge] },
      yaxis: { ...HIDDEN_AXIS, range: [lowest, top] },
      margin: { l: margin, r: margin, t: 10, b: 10 },
    },
    height: Math.max(190, 44 * (top - lowest)),
  };
}

function buildProfile(view, width) {
  const profile = view.profile;
  if (!profile) return { empty: view.profileReason };
  const looks = looksOf(view.profile.competitors.map((name, i) => ({ name, algorithm: profile.algorithms[i] })));
  const { legend, below } = legendFor(profile.competitors, width);
  const metric = METRICS[view.metric];
  const label = profile.by === "ratio" ? `within this factor of the best ${metric.label}` : `within this difference of the best ${metric.label}`;
  const isRatio = profile.by === "ratio";
  const far = Math.max(...profile.within.flat().map(number).filter(Number.isFinite), isRatio ? 1 : 0);
  const traces = profile.competitors.map((name, i) => {
    const look = looks.get(name);
    const [start, end] = isRatio ? [1, far * 1.1] : [0, far * 1.05 || 1];
    const within = [start, ...profile.within[i].map(number), end];
    return {
      x: within,
      y: [0, ...profile.share[i], profile.share[i].at(-1) ?? 0],
      name: plain(name),
      mode: "lines",
      line: { shape: "hv", color: look.colour, dash: look.dash, width: 2 },
      hoverinfo: "text",
      hovertext: within.map((at) => plain(`${name}: ${significant(at)}`)),
    };
  });
  return {
    traces,
    layout: {
      xaxis: axis(label, { type: isRatio && far > 30 ? "log" : "linear" }),
      yaxis: axis(`share of ${view.unit}s`, { range: [-0.02, 1.04], tickformat: ".0%" }),
      showlegend: true,
      legend,
      margin: { l: 60, r: 20, t: 20, b: 50 + below },
    },
    height: 380 + below,
    header: ["algorithm", profile.by, "share"],
    rows: profile.competitors.flatMap((name, i) => profile.within[i].map((at, j) => [name, at, profile.share[i][j]])),
    caption: `The share of ${view.unit}s on which each algorithm is that close to the best; higher is better.`,
  };
}
