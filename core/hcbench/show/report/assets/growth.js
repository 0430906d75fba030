// Cost against size on logarithmic scales, with fitted power laws; see hcbench.analysis.views.

function makeGrowth(place) {
  if (!DATA.growth.views.length) {
    place.append(element("p", { text: DATA.growth.reason }));
    return;
  }
  const state = { view: DATA.growth.views[0] };
  const holder = element("div");
  const table = new SortedTable(holder, {
    columns: [
      { id: "line", label: "algorithm", value: ({ line }) => line.name },
      { id: "panel", label: "of", value: ({ panel }) => panel.title },
      {
        id: "exponent",
        label: "exponent ± s.e.",
        numeric: true,
        value: ({ line }) => line.fit[0],
        fill: (cell, { line: { fit } }) => {
          cell.textContent = fixed(fit[0], 2);
          cell.append(element("span", { class: "spread", text: fit[1] === null ? "" : ` ± ${fixed(fit[1], 2)}` }));
        },
        csv: [["exponent", ({ line }) => line.fit[0]], ["95 % interval, half its width", ({ line }) => line.fit[1]]],
      },
      { id: "points", label: "sizes", numeric: true, value: ({ line }) => line.fit[3] },
    ],
    name: "exponents",
    caption: "Fitted exponents",
    noun: "fit",
  });
  const drawTable = () => {
    const rows = state.view.panels.flatMap((panel) => panel.lines.filter(({ fit }) => fit).map((line) => ({ panel, line })));
    const several = state.view.panels.length > 1;
    table.show(rows, table.all.filter(({ id }) => several || id !== "panel"));
    heading.hidden = holder.hidden = !rows.length;
  };
  table.all = table.columns;
  const heading = element("h3", { text: "Fitted exponents" });
  place.append(
    element(
      "div",
      { class: "controls" },
      choice("Cost", DATA.growth.views.map(({ metric }, i) => [i, METRICS[metric].label]), 0, (i) => {
        state.view = DATA.growth.views[Number(i)];
        drawTable();
        figure.change();
      }),
    ),
  );
  const figure = new Figure(place, "growth", (width) => buildGrowth(state.view, width));
  place.append(heading, holder);
  drawTable();
}

function buildGrowth(view, width) {
  const metric = METRICS[view.metric];
  const shown = view.panels.slice(0, MOST_PANELS);
  const looks = looksOf(shown.flatMap(({ lines }) => lines));
  const { grid, finish } = panelFigure(shown.map(({ title }) => title), [...looks.keys()], width);
  const values = distinct(shown.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([x]) => x)))).sort((a, b) => a - b);
  const unit = metric.unit && metric.unit !== "questions" ? ` [${metric.unit}]` : "";
  const inLegend = new Set();
  const traces = [];
  shown.forEach(({ lines }, panel) => {
    const ids = grid.ids(panel);
    grid.set(
      panel,
      axisFor(values, grid.isLowest(panel) ? view.x : "", true, { matches: panel ? "x" : undefined }),
      axis(grid.isLeft(panel) ? metric.label + unit : "", { type: "log", dtick: 1, matches: panel ? "y" : undefined }),
    );
    for (const { name, points, fit } of lines) {
      const look = looks.get(name);
      const [x, y] = [points.map((point) => point[0]), points.map((point) => point[1])];
      if (fit) {
        const ends = [Math.min(...x), Math.max(...x)];
        traces.push({ x: ends, y: ends.map((at) => fit[2] * at ** fit[0]), mode: "lines", line: { color: look.colour, width: 1, dash: "dot" }, hoverinfo: "skip", showlegend: false, legendgroup: name, ...ids });
      }
      const error = (sign) => points.map(([, value, low, high]) => Math.max(0, (sign > 0 ? (high ?? value) - value : value - (low ?? value))));
      traces.push({
        x,
        y,
        error_y: { type: "data", array: error(1), arrayminus: error(-1), thickness: 1, width: 3, color: look.colour },
        name: plain(name),
        mode: fit ? "markers" : "lines+markers",
        line: { color: look.colour, dash: look.dash, width: 1.5 },
        marker: { color: look.colour, symbol: look.symbol, size: 8 },
        hoverinfo: "text",
        hovertext: points.map(([at, value]) => plain(`${name}\n${view.x} = ${significant(at, 5)}\n${metric.label} ${written(value, null, metric)}${fit ? `\nexponent ${fixed(fit[0], 2)}` : ""}`)),
        legendgroup: name,
        showlegend: !inLegend.has(name),
        ...ids,
      });
      inLegend.add(name);
    }
  });
  const left = view.panels.length > MOST_PANELS ? ` The first ${MOST_PANELS} of ${view.panels.length} panels; the CSV has all.` : "";
  return {
    ...finish(traces),
    header: ["panel", "line", view.x, metric.label, "low", "high", "exponent", "standard error"],
    rows: view.panels.flatMap(({ title, lines }) => lines.flatMap(({ name, points, fit }) => points.map((point) => [title, name, ...point, fit?.[0] ?? null, fit?.[1] ?? null]))),
    caption: `${metric.label} against ${view.x}, both on logarithmic scales; bars are the ${view.interval}, dotted lines the fitted power laws.${left}`,
  };
}
