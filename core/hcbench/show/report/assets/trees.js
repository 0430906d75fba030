// Dendrograms of results and truths, with leaves coloured by class.

const MOST_NAMES = 70;
const EDGE = 0.015; // margin beside the leaves for their symbols

function makeTrees(place) {
  const forest = DATA.forest;
  if (!forest || !forest.trees.length) {
    const why = forest ? "No cell of this run has a stored tree." : "This report was made without trees (--trees 0).";
    place.append(element("p", { text: why }));
    return;
  }
  const names = nameItems(
    forest.trees.map(({ group }) => ({
      algorithm: labelOf("algorithm", group),
      dataset: labelOf("dataset", group),
      oracle: labelOf("oracle", group),
      budget: GROUPS.budget[group],
    })),
    ["dataset"],
  );
  const named = forest.trees.map((tree, i) => ({ ...tree, name: names[i], dataset: labelOf("dataset", tree.group) }));
  const datasets = distinct(named.map(({ dataset }) => dataset));
  const state = { dataset: datasets[0], tree: null, level: null, view: "facing" };
  const controls = element("div", { class: "controls" });
  const of = () => named.filter(({ dataset }) => dataset === state.dataset);
  const draw = () => {
    const trees = of();
    state.tree = trees.find(({ name }) => name === state.tree?.name) ?? trees[0];
    const data = forest.datasets[state.tree.data];
    const levels = data.levels ?? [];
    if (state.level === null || state.level >= levels.length) state.level = levels.length ? 0 : null;
    const change = (key, convert) => (value) => {
      state[key] = convert(value);
      draw();
    };
    const focused = controls.contains(document.activeElement) ? [...controls.querySelectorAll("select")].indexOf(document.activeElement) : -1;
    controls.replaceChildren(
      ...choices("Data set", datasets.map((label) => [label, label]), state.dataset, change("dataset", String)),
      ...choices("Algorithm", trees.map(({ name }) => [name, name]), state.tree.name, change("tree", (name) => trees.find((tree) => tree.name === name))),
      ...(data.truth ? [choice("View", [["facing", "truth and result"], ["result", "result"], ["truth", "truth"]], state.view, change("view", String))] : []),
      ...choices("Colours", levels.map((codes, level) => [level, `level ${level + 1} (${counted(distinct(codes).length, "class", "classes")})`]), state.level, change("level", Number)),
    );
    controls.querySelectorAll("select")[focused]?.focus();
    figure.change();
  };
  place.append(controls);
  const figure = new Figure(place, "trees", (width) => buildTrees(state, forest, width));
  if (forest.leftOut.length) place.append(element("p", { class: "soft", text: `${forest.leftOut.join("; ")}.` }));
  draw();
}

// The coordinates of the nodes of a tree, with the leaves at 0, 1, ... in this order.
function standing(tree, order) {
  const m = tree.parent.length;
  const n = order.length;
  const parent = tree.parent.map((step, node) => (step < 0 ? -1 : node + step));
  const along = new Float64Array(m);
  const first = new Float64Array(m).fill(Infinity);
  const last = new Float64Array(m).fill(-Infinity);
  order.forEach((leaf, row) => {
    along[leaf] = row;
  });
  for (let node = 0; node < m; node += 1) {
    if (node >= n) along[node] = (first[node] + last[node]) / 2;
    const above = parent[node];
    if (above >= 0) {
      first[above] = Math.min(first[above], along[node]);
      last[above] = Math.max(last[above], along[node]);
    }
  }
  return { parent, along, first, last, height: tree.height };
}

// The class below each node, -1 if there are several.
function classesBelow(parent, classes) {
  const found = [...classes, ...new Array(parent.length - classes.length).fill(null)];
  parent.forEach((above, node) => {
    if (above < 0) return;
    if (found[above] === null) found[above] = found[node];
    else if (found[above] !== found[node]) found[above] = -1;
  });
  return found;
}

const classColour = (code) => (code < 0 ? shade("soft") : colourAt(code));
const classSymbol = (code) => SYMBOLS[code % SYMBOLS.length];

// The branches of a tree, one trace per class; `x` maps heights, of which the root has 1.
function branchTraces(tree, order, classes, x, ids) {
  const { parent, along, first, last, height } = standing(tree, order);
  const below = classesBelow(parent, classes);
  const lines = new Map();
  const add = (code, ...points) => {
    if (!lines.has(code)) lines.set(code, { x: [], y: [] });
    const line = lines.get(code);
    for (const [h, y] of points) {
      line.x.push(h === null ? null : x(h));
      line.y.push(y);
    }
    line.x.push(null);
    line.y.push(null);
  };
  parent.forEach((above, node) => {
    if (above >= 0) add(below[node], [height[node], along[node]], [height[above], along[node]]);
    if (node >= order.length) add(below[node], [height[node], first[node]], [height[node], last[node]]);
  });
  const width = order.length > 400 ? 0.7 : order.length > 100 ? 1 : 1.5;
  return [...lines].map(([code, points]) => ({
    ...points,
    mode: "lines",
    type: "scatter",
    line: { color: classColour(code), width, simplify: false },
    hoverinfo: "skip",
    showlegend: false,
    ...ids,
  }));
}

function leafTraces(order, classes, names, at, ids, legend) {
  const rows = new Map();
  order.forEach((leaf, row) => rows.set(classes[leaf], [...(rows.get(classes[leaf]) ?? []), [leaf, row]]));
  return [...rows].sort(([a], [b]) => a - b).map(([code, of]) => ({
    x: of.map(([leaf]) => at(leaf)),
    y: of.map(([, row]) => row),
    mode: "markers",
    type: "scatter",
    name: `class ${code + 1}`,
    legendgroup: `class ${code}`,
    showlegend: legend,
    marker: { color: classColour(code), symbol: classSymbol(code), size: order.length > 400 ? 3 : order.length > 80 ? 5 : 7 },
    hoverinfo: "text",
    hovertext: of.map(([leaf]) => plain(`${names[leaf]}, class ${code + 1}`)),
    ...ids,
  }));
}

function linkTraces(truthOrder, order, classes, ids) {
  const place = new Map(order.map((leaf, row) => [leaf, row]));
  const lines = new Map();
  truthOrder.forEach((leaf, row) => {
    const line = lines.get(classes[leaf]) ?? { x: [], y: [] };
    line.x.push(0, 1, null);
    line.y.push(row, place.get(leaf), null);
    lines.set(classes[leaf], line);
  });
  const opacity = order.length > 400 ? 0.35 : order.length > 100 ? 0.55 : 0.8;
  return [...lines].map(([code, points]) => ({
    ...points,
    mode: "lines",
    type: "scatter",
    line: { color: clear(classColour(code), opacity), width: order.length > 400 ? 0.6 : 1, dash: DASHES[Math.floor(code / palette().length) % DASHES.length] },
    hoverinfo: "skip",
    showlegend: false,
    ...ids,
  }));
}

const heading = (text, x) => ({ text: `<b>${plain(text)}</b>`, x, y: 1, xref: "paper", yref: "paper", xanchor: "center", yanchor: "bottom", showarrow: false });

function buildTrees(state, forest, width) {
  const { tree, order, truthOrder, name, data: id } = state.tree;
  const data = forest.datasets[id];
  const n = order.length;
  const classes = state.level === null ? new Array(n).fill(0) : data.levels[state.level];
  const names = data.names ?? Array.from({ length: n }, (_, leaf) => `item ${leaf}`);
  const hasClasses = state.level !== null;
  const height = Math.min(1100, Math.max(420, 60 + n * (n <= MOST_NAMES ? 15 : 4)));
  const hidden = { showgrid: false, zeroline: false, showline: false, ticks: "", showticklabels: false };
  const rows = { ...hidden, range: [n - 0.3, -0.7] };
  const written = n <= MOST_NAMES && data.names ? order.map((leaf) => cut(plain(names[leaf]), 26)) : null;
  const legendSize = hasClasses ? distinct(classes).length : 0;
  const { legend, below } = legendFor(Array.from({ length: legendSize }, (_, code) => `class ${code + 1}`), width);
  const common = { showlegend: legendSize > 1, legend: { ...legend, itemsizing: "constant" }, margin: { l: 20, r: 20, t: 46, b: 20 + (legendSize > 1 ? below : 0) } };
  const facing = state.view === "facing" && data.truth;
  const shownTruth = state.view === "truth" && data.truth;
  let traces;
  let layout;
  if (facing) {
    const left = { xaxis: "x", yaxis: "y" };
    const middle = { xaxis: "x2", yaxis: "y" };
    const right = { xaxis: "x3", yaxis: "y" };
    traces = [
      ...branchTraces(data.truth, truthOrder, classes, (h) => h, left),
      ...linkTraces(truthOrder, order, classes, middle),
      ...branchTraces(tree, order, classes, (h) => h, right),
      ...leafTraces(truthOrder, classes, names, (leaf) => data.truth.height[leaf], left, legendSize > 1),
      ...leafTraces(order, classes, names, (leaf) => tree.height[leaf], right, false),
    ];
    const wide = written ? 0.34 : 0.4;
    layout = {
      xaxis: { ...hidden, domain: [0, 0.4], range: [1.02, -EDGE] },
      xaxis2: { ...hidden, domain: [0.4, 1 - wide], range: [-0.04, 1.04], fixedrange: true },
      xaxis3: { ...hidden, domain: [1 - wide, 1], range: [-EDGE, 1.02] },
      yaxis: rows,
      annotations: [heading("truth", 0.2), heading(cut(name, Math.floor(width / 20)), 1 - wide / 2)],
    };
  } else {
    const [drawn, drawnOrder] = shownTruth ? [data.truth, truthOrder] : [tree, order];
    const ids = { xaxis: "x", yaxis: "y" };
    traces = [
      ...branchTraces(drawn, drawnOrder, classes, (h) => h, ids),
      ...leafTraces(drawnOrder, classes, names, (leaf) => drawn.height[leaf], ids, legendSize > 1),
    ];
    const ticks = n <= MOST_NAMES && data.names
      ? { showticklabels: true, side: "right", tickmode: "array", tickvals: drawnOrder.map((_, row) => row), ticktext: drawnOrder.map((leaf) => plain(cut(names[leaf], 26))), tickfont: { size: 10 }, automargin: true }
      : {};
    layout = { xaxis: { ...hidden, range: [1.03, -0.03] }, yaxis: { ...rows, ...ticks }, annotations: [heading(shownTruth ? "truth" : cut(name, Math.floor(width / 9)), 0.5)] };
  }
  const sampled = data.n && data.n > n ? ` ${n.toLocaleString("en")} of its ${data.n.toLocaleString("en")} leaves are drawn, chosen at random.` : "";
  const lost = data.reason ? ` Without the truth: ${data.reason}.` : "";
  const meaning = { distance: "distance", affinity: "affinity", order: "order of merges", none: "levels, as the tree has no heights" }[tree.kind];
  const place = new Map(order.map((leaf, row) => [leaf, row]));
  return {
    traces,
    layout: { ...common, ...layout },
    height: height + (legendSize > 1 ? below : 0),
    header: ["item", "place in the result", "place in the truth", ...(data.levels ?? []).map((_, level) => `class at level ${level + 1}`)],
    rows: Array.from({ length: n }, (_, leaf) => [names[leaf], place.get(leaf), truthOrder ? truthOrder.indexOf(leaf) : null, ...(data.levels ?? []).map((codes) => codes[leaf] + 1)]),
    caption: `${name} on ${state.dataset}, repetition ${data.repetition ?? 0}; heights of the result: ${meaning}. Branches have the colour of a class if all leaves below belong to it.${sampled}${lost}`,
  };
}
