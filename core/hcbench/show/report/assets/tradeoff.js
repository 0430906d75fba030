// Quality against cost, a panel for each data set, with the Pareto front.

function makeTradeoff(place) {
  const quality = METRICS.map((metric, m) => [metric, m]).filter(([{ cost, direction }]) => !cost && direction !== "none");
  const costs = METRICS.map((metric, m) => [metric, m]).filter(([{ cost }]) => cost);
  if (!quality.length || !costs.length) {
    place.append(element("p", { text: "This figure needs a metric of quality and a cost, for example --metrics AARI,queries,seconds." }));
    return;
  }
  const datasets = LABELS.dataset.filter((label, d) => ALL_GROUPS.some((g) => GROUPS.dataset[g] === d && !wasSkipped(g)));
  const few = datasets.length <= MOST_PANELS;
  const measured = ([, m]) => ALL_GROUPS.filter((group) => isNumber(mean(m, group))).length;
  const most = (metrics) => [...metrics].sort((a, b) => measured(b) - measured(a))[0][1];
  const state = {
    quality: most(quality),
    cost: most(costs),
    dataset: few ? ANY : datasets[0],
  };
  const names = (metrics) => metrics.map(([{ label }, m]) => [m, label]);
  const set = (key, convert) => (value) => {
    state[key] = convert(value);
    figure.change();
  };
  place.append(
    element(
      "div",
      { class: "controls" },
      choice("Quality", names(quality), state.quality, set("quality", Number)),
      choice("Cost", names(costs), state.cost, set("cost", Number)),
      ...choices("Data set", [...(few ? [[ANY, "all, a panel each"]] : []), ...datasets.map((label) => [label, label])], state.dataset, set("dataset", String)),
    ),
  );
  const figure = new Figure(place, "quality-and-cost", (width) => buildTradeoff(state, datasets, width));
}

function tradeoffPoints(state, dataset) {
  return ALL_GROUPS.filter((group) => labelOf("dataset", group) === dataset)
    .map((group) => ({
      group,
      x: mean(state.cost, group),
      y: mean(state.quality, group),
      algorithm: labelOf("algorithm", group),
      dataset,
      oracle: labelOf("oracle", group),
      budget: GROUPS.budget[group],
    }))
    .filter(({ group, x, y }) => isNumber(y) && (isNumber(x) || (x === null && GROUPS.checkpoint[group] === null)));
}

// An algorithm without this cost, such as one that asks no queries, is a level across the panel.
function levelTrace(point, [low, high], look, ids) {
  return {
    x: [low, high],
    y: [point.y, point.y],
    mode: "lines",
    line: { color: look.colour, dash: "dash", width: 1.4 },
    hoverinfo: "text",
    ...ids,
  };
}

// The fronts of a panel; DATA.fronts has the groups of each, from cheap to expensive.
function frontTraces(points, state, ids) {
  const at = new Map(points.map((point) => [point.group, point]));
  const fronts = DATA.fronts[`${state.quality} ${state.cost}`].filter(([group]) => at.has(group));
  return fronts.map((groups) => {
    const front = groups.map((group) => at.get(group));
    front.forEach((point) => {
      point.onFront = true;
    });
    return {
      x: front.map(({ x }) => x),
      y: front.map(({ y }) => y),
      mode: "lines+markers",
      line: { color: shade("soft"), width: 1.2, dash: "dot", shape: "hv" },
      marker: { symbol: "circle-open", size: 17, color: shade("text"), line: { width: 1.6 } },
      hoverinfo: "skip",
      showlegend: false,
      ...ids,
    };
  });
}

// A range with a margin, which is wider if costs are nearly equal.
function reachOf(values, log) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log) return low > 0 ? [low / 1.6, high * 1.6] : [low, high];
  const room = Math.max(0.06 * (high - low), high - low < 0.1 * high ? 0.3 * high : 0);
  return [low - room, high + room];
}

function buildTradeoff(state, datasets, width) {
  const [metric, cost] = [METRICS[state.quality], METRICS[state.cost]];
  const panels = (state.dataset === ANY ? datasets : [state.dataset])
    .map((dataset) => [dataset, tradeoffPoints(state, dataset)])
    .filter(([, points]) => points.some(({ x }) => isNumber(x)));
  if (!panels.length) return { empty: `No algorithm has both ${metric.label} and ${cost.label}. Another cost may have been measured.` };
  const every = panels.flatMap(([, points]) => points);
  const names = nameItems(every, ["dataset"]);
  every.forEach((point, i) => {
    point.name = names[i];
  });
  const looks = looksOf(every);
  const { grid, finish } = panelFigure(panels.map(([title]) => title), [...looks.keys()], width);
  const log = spansFar(every.map(({ x }) => x).filter(isNumber));
  const inLegend = new Set();
  const traces = [];
  panels.forEach(([, points], panel) => {
    const ids = grid.ids(panel);
    const unit = cost.unit && cost.unit !== "questions" ? ` [${cost.unit}]` : "";
    grid.set(
      panel,
      axis(grid.isLowest(panel) ? cost.label + unit : "", log ? { type: "log", dtick: 1 } : { nticks: 6 }),
      axis(grid.isLeft(panel) ? metric.label + ARROWS[metric.direction] : "", { nticks: 7 }),
    );
    const costed = points.filter(({ x }) => isNumber(x));
    const reach = reachOf(costed.map(({ x }) => x), log);
    if (reach) grid.axes[ids.xaxis.replace("x", "xaxis")].range = log ? reach.map(Math.log10) : reach;
    traces.push(...frontTraces(costed, state, ids));
    for (const name of distinct(points.map((point) => point.name))) {
      const of = points.filter((point) => point.name === name).sort((a, b) => a.x - b.x);
      const look = looks.get(name);
      const legend = { name: plain(name), legendgroup: name, showlegend: !inLegend.has(name) };
      inLegend.add(name);
      if (of[0].x === null) {
        const said = `${name}\n${metric.label} ${written(of[0].y, deviation(state.quality, of[0].group), metric)}\nno ${cost.label}`;
        traces.push({ ...levelTrace(of[0], reach, look, ids), ...legend, hovertext: plain(said) });
        continue;
      }
      traces.push({
        x: of.map(({ x }) => x),
        y: of.map(({ y }) => y),
        error_y: { type: "data", array: of.map(({ group }) => standardError(state.quality, group) ?? 0), thickness: 1, width: 3, color: clear(look.colour, 0.6) },
        mode: of.length > 1 ? "lines+markers" : "markers",
        line: { color: look.colour, width: 1.4, dash: look.dash },
        marker: { color: look.colour, symbol: look.symbol, size: 9 },
        hoverinfo: "text",
        hovertext: of.map(({ group, x, y }) =>
          plain(
            [
              name,
              `${metric.label} ${written(y, deviation(state.quality, group), metric)}`,
              `${cost.label} ${written(x, deviation(state.cost, group), cost)}`,
              ...(GROUPS.checkpoint[group] === null ? [] : [`after ${GROUPS.checkpoint[group].toLocaleString("en")} queries`]),
            ].join("\n"),
          ),
        ),
        ...legend,
        ...ids,
      });
    }
  });
  return {
    ...finish(traces),
    header: ["data set", "algorithm", "oracle", "budget", "after queries", cost.label, metric.label, "on the front"],
    rows: every.map(({ group, dataset, x, y, onFront }) => [dataset, labelOf("algorithm", group), labelOf("oracle", group), GROUPS.budget[group], GROUPS.checkpoint[group], x, y, onFront ? "yes" : "no"]),
    caption: `${metric.label}${ARROWS[metric.direction]} against ${cost.label}; bars are ± one standard error over repetitions.${every.some(({ x }) => x === null) ? ` Dashed: algorithms without ${cost.label}.` : ""}`,
  };
}
