// A metric along a parameter of the grid, with bands of uncertainty, in panels.

const MOST_PANELS = 12;
const BANDS = { se: ["standard error", standardError], std: ["standard deviation", deviation], none: ["none", () => null] };

function makeCurves(place) {
  const axes = lineAxes();
  if (!axes.length || !METRICS.length) {
    const why = "No numeric parameter varies. A list makes a grid: --datasets \"planted[delta=[0.05,0.1,0.2]]\".";
    place.append(element("p", { text: why }));
    return;
  }
  const quality = METRICS.findIndex(({ cost }) => !cost);
  const rank = ({ kind, values }) => (kind === "dataset" ? 100 : kind === "checkpoint" ? 50 : 0) + values.length;
  const state = {
    axis: [...axes].sort((a, b) => rank(b) - rank(a))[0],
    metric: Math.max(quality, 0),
    band: "se",
    logY: false,
  };
  const facets = () =>
    ["algorithm", "dataset", "oracle", "budget"]
      .map((kind) => [kind, distinct(ALL_GROUPS.filter((g) => isNumber(state.axis.place(g))).map((g) => restOf(kind, g))).length])
      .filter(([, count]) => count > 1);
  const restOf = (kind, group) => (kind === "budget" ? GROUPS.budget[group] : state.axis.rest(kind, group));
  // Whether an algorithm has several of a kind, which would be lines of one colour.
  const tellsApart = (kind) => {
    const seen = new Map();
    for (const group of ALL_GROUPS.filter((g) => isNumber(state.axis.place(g)))) {
      const algorithm = restOf("algorithm", group);
      seen.set(algorithm, (seen.get(algorithm) ?? new Set()).add(restOf(kind, group)));
    }
    return [...seen.values()].some((values) => values.size > 1);
  };
  const chooseFacet = () => {
    const found = facets().filter(([kind, count]) => kind !== "algorithm" && count <= 6 && tellsApart(kind));
    state.facet = (found.find(([kind]) => kind === "oracle") ?? found[0])?.[0] ?? "none";
  };
  const controls = element("div", { class: "controls" });
  const drawControls = () => {
    const names = { algorithm: "algorithm", dataset: "data set", oracle: "oracle", budget: "budget" };
    const found = [["none", "one panel"], ...facets().map(([kind, count]) => [kind, `${names[kind]} (${count})`])];
    controls.replaceChildren(
      choice("Along", axes.map(({ id, label }) => [id, label]), state.axis.id, (id) => {
        state.axis = axes.find((about) => about.id === id);
        chooseFacet();
        drawControls();
        figure.change();
        controls.querySelector("select").focus();
      }),
      choice("Metric", METRICS.map(({ label }, m) => [m, label]), state.metric, (m) => {
        state.metric = Number(m);
        figure.change();
      }),
      ...choices("A panel for each", found, state.facet, (kind) => {
        state.facet = kind;
        figure.change();
      }),
      choice("Band", Object.entries(BANDS).map(([id, [label]]) => [id, label]), state.band, (band) => {
        state.band = band;
        figure.change();
      }),
      choice("Scale", [["", "linear"], ["log", "logarithmic"]], "", (scale) => {
        state.logY = scale === "log";
        figure.change();
      }),
    );
  };
  chooseFacet();
  place.append(controls);
  const figure = new Figure(place, "curves", (width) => buildCurves(state, restOf, width));
  drawControls();
}

// Lines of a panel: {name, algorithm, reference, points: [{x, group}]}.
function curveLines(state, restOf) {
  const items = ALL_GROUPS.filter((group) => isNumber(state.axis.place(group)) && isNumber(mean(state.metric, group))).map((group) => ({
    group,
    x: state.axis.place(group),
    algorithm: restOf("algorithm", group),
    dataset: restOf("dataset", group),
    oracle: restOf("oracle", group),
    budget: state.axis.id === "budget" ? null : GROUPS.budget[group],
  }));
  const names = nameItems(items, [state.facet]);
  const panels = new Map();
  items.forEach((item, i) => {
    const title = state.facet === "none" ? "" : String(item[state.facet] ?? "none");
    if (!panels.has(title)) panels.set(title, new Map());
    const lines = panels.get(title);
    const line = lines.get(names[i]) ?? { name: names[i], algorithm: item.algorithm, reference: REFERENCES.has(item.group), points: [] };
    line.points.push(item);
    lines.set(names[i], line);
  });
  for (const lines of panels.values()) for (const { points } of lines.values()) points.sort((a, b) => a.x - b.x);
  return panels;
}

function buildCurves(state, restOf, width) {
  const panels = curveLines(state, restOf);
  const metric = METRICS[state.metric];
  if (!panels.size) return { empty: `${metric.label} was not measured along ${state.axis.label}.` };
  const shown = [...panels].slice(0, MOST_PANELS);
  const all = shown.flatMap(([, lines]) => [...lines.values()]);
  const looks = looksOf(all);
  const { grid, finish } = panelFigure(shown.map(([title]) => title), [...looks.keys()], width);
  const values = distinct(all.flatMap(({ points }) => points.map(({ x }) => x))).sort((a, b) => a - b);
  const [bandName, spreadOf] = BANDS[state.band];
  const inLegend = new Set();
  const traces = [];
  const heights = distinct(all.flatMap(({ points }) => points.map(({ group }) => mean(state.metric, group))));
  const flat = heights.length === 1 && metric.unitInterval && !state.logY ? { range: [Math.min(-0.04, heights[0] - 0.04), 1.06] } : {};
  shown.forEach(([, lines], panel) => {
    const title = metric.label + (metric.unit ? ` [${metric.unit}]` : "");
    const share = { matches: panel ? "y" : undefined };
    grid.set(
      panel,
      axisFor(values, grid.isLowest(panel) ? state.axis.short : "", spansFar(values), { matches: panel ? "x" : undefined }),
      axis(grid.isLeft(panel) ? title : "", { type: state.logY ? "log" : "linear", ...share, ...flat }),
    );
    for (const { name, points, reference } of lines.values()) {
      const look = looks.get(name);
      const ids = grid.ids(panel);
      const spread = points.map(({ group }) => spreadOf(state.metric, group) ?? 0);
      const y = points.map(({ group }) => mean(state.metric, group));
      const x = points.map((point) => point.x);
      if (spread.some((size) => size > 0)) {
        traces.push({
          x: [...x, ...x.toReversed()],
          y: [...y.map((v, i) => v + spread[i]), ...y.map((v, i) => v - spread[i]).toReversed()],
          fill: "toself",
          fillcolor: clear(look.colour, 0.16),
          line: { width: 0 },
          mode: "lines",
          hoverinfo: "skip",
          legendgroup: name,
          showlegend: false,
          ...ids,
        });
      }
      traces.push({
        x,
        y,
        name: plain(name),
        mode: "lines+markers",
        line: { color: look.colour, dash: reference ? "dot" : look.dash, width: 2 },
        marker: { color: look.colour, symbol: look.symbol, size: 7 },
        hoverinfo: "text",
        hovertext: points.map(({ group }, i) => plain(`${name}\n${state.axis.short} = ${significant(x[i], 5)}\n${metric.label} ${written(y[i], spread[i], metric)}`)),
        legendgroup: name,
        showlegend: !inLegend.has(name),
        ...ids,
      });
      inLegend.add(name);
    }
  });
  const header = ["panel", "line", state.axis.short, metric.label, "standard deviation", "n", "data set", "oracle"];
  const rows = [...panels].flatMap(([title, lines]) =>
    [...lines.values()].flatMap(({ name, points }) =>
      points.map(({ x, group }) => [title, name, x, mean(state.metric, group), deviation(state.metric, group), GROUPS.n[state.metric][group], labelOf("dataset", group), labelOf("oracle", group)]),
    ),
  );
  const band = state.band === "none" ? "" : ` The band is ± one ${bandName}.`;
  const left = panels.size > MOST_PANELS ? ` The first ${MOST_PANELS} of ${panels.size} panels; the CSV has all.` : "";
  return {
    ...finish(traces),
    header,
    rows,
    caption: `Means over repetitions of ${metric.label}${ARROWS[metric.direction]} along ${state.axis.label}.${band}${left}`,
  };
}
