// The leaderboard: one row for each algorithm on each data set, or for each repetition.

const ANY = "";

function showWhy(cell, text, reason) {
  const note = element("span", { class: "spread", text: ` ${reason}`, hidden: true });
  const more = button(text, () => {
    note.hidden = !note.hidden;
    more.setAttribute("aria-expanded", String(!note.hidden));
  }, { class: "why", title: reason, "aria-expanded": "false" });
  cell.append(more, note);
}

// The columns that identify rows: algorithm, data set, and others that vary.
function nameColumns() {
  const columns = [
    { id: "algorithm", label: "algorithm", value: (row) => labelOf("algorithm", row.group), fill: fillName },
    { id: "dataset", label: "data set", value: (row) => labelOf("dataset", row.group) },
  ];
  if (distinct(GROUPS.oracle).length > 1) {
    columns.push({ id: "oracle", label: "oracle", value: (row) => labelOf("oracle", row.group) });
  }
  for (const [id, label] of [["budget", "budget"], ["checkpoint", "after queries"]]) {
    if (distinct(GROUPS[id]).length > 1) {
      const fill = (cell, row) => {
        cell.textContent = GROUPS[id][row.group]?.toLocaleString("en") ?? (id === "budget" ? "none" : "end");
      };
      columns.push({ id, label, numeric: true, value: (row) => GROUPS[id][row.group], fill });
    }
  }
  return columns;
}

function fillName(cell, { group }) {
  const reference = REFERENCES.has(group) ? ["a reference, which is not ranked"] : [];
  const notes = [...reference, ...(NOTES.get(group) ?? [])];
  cell.append(labelOf("algorithm", group));
  if (notes.length) {
    cell.append(" ");
    showWhy(cell, `(${counted(notes.length, "note")})`, notes.join("; "));
  }
}

function doneColumn() {
  const value = ({ group }) => (wasSkipped(group) ? null : GROUPS.ok[group] / GROUPS.size[group]);
  const fill = (cell, { group }) => {
    const [ok, size] = [GROUPS.ok[group], GROUPS.size[group]];
    if (wasSkipped(group)) cell.textContent = "inapplicable";
    else cell.append(element("span", { class: ok < size ? "badge bad" : "", text: `${ok} of ${size}` }));
  };
  return { id: "done", label: "done", numeric: true, value, fill, bestFirst: "descending" };
}

function meanColumn(metric, m) {
  const fill = (cell, { group }) => {
    const value = mean(m, group);
    if (value === null) {
      const reason = REASONS.get(`${group} ${m}`);
      if (reason) showWhy(cell, "n/a", reason);
      else cell.textContent = "–";
      return;
    }
    const found = parts(value, deviation(m, group), metric);
    cell.append(found.value, element("span", { class: "spread", text: found.spread }));
    if (BEST[m].has(group)) {
      cell.classList.add("best");
      cell.append(element("span", { class: "hidden-text", text: " (best)" }));
    }
  };
  return {
    id: `metric ${metric.label}`,
    label: metric.label + ARROWS[metric.direction],
    numeric: true,
    bestFirst: metric.direction === "higher" ? "descending" : "ascending",
    value: ({ group }) => mean(m, group),
    fill,
    csv: [
      [metric.label, ({ group }) => GROUPS.mean[m][group]],
      [`${metric.label} std`, ({ group }) => GROUPS.std[m][group]],
      [`${metric.label} n`, ({ group }) => GROUPS.n[m][group]],
    ],
  };
}

function cellColumns() {
  const text = (id) => ({ cell }) => TEXTS[CELLS[id][cell]];
  const status = {
    id: "status",
    label: "status",
    value: text("status"),
    fill: (place, row) => {
      const word = text("status")(row);
      if (word === "ok") place.textContent = word;
      else showWhy(place, word, text("reason")(row) || "unknown reason");
    },
    csv: [["status", text("status")], ["reason", text("reason")]],
  };
  return [
    { id: "repetition", label: "repetition", numeric: true, value: ({ cell }) => CELLS.repetition[cell] },
    status,
    { id: "key", label: "cell", value: ({ cell }) => CELLS.key[cell] || null },
  ];
}

function valueColumn(metric, m) {
  return {
    id: `metric ${metric.label}`,
    label: metric.label + ARROWS[metric.direction],
    numeric: true,
    bestFirst: metric.direction === "higher" ? "descending" : "ascending",
    value: ({ cell }) => number(CELLS.values[m][cell]),
    fill: (place, { cell }) => {
      place.textContent = written(number(CELLS.values[m][cell]), null, metric);
    },
    csv: [[metric.label, ({ cell }) => CELLS.values[m][cell]]],
  };
}

// Controls that filter groups; `changed` is called after each change. Gives {elements, keeps}.
function groupFilters(changed) {
  const chosen = new Map();
  let words = [];
  const filter = (id, label, options, of) =>
    choices(label, [[ANY, "all"], ...options.map((text) => [text, text])], ANY, (value) => {
      chosen.set(id, value === ANY ? null : (group) => of(group) === value);
      changed();
    });
  const byLabel = (kind, label) =>
    LABELS[kind].length > 1
      ? filter(kind, label, LABELS[kind].filter((text) => text), (group) => labelOf(kind, group))
      : [];
  const byPoint = (id, label, nothing) => {
    const of = (group) => GROUPS[id][group]?.toLocaleString("en") ?? nothing;
    const options = distinct(ALL_GROUPS.map(of));
    return options.length > 1 ? filter(id, label, options, of) : [];
  };
  const byParameter = DATA.filters.map(({ id, kind, label, values }) =>
    filter(id, `${label} of ${kind === "dataset" ? "data set" : kind}`, distinct(values.filter((text) => text !== null)), (group) => values[GROUPS[kind][group]]),
  );
  const isNoise = ({ label }) => /noise|error|flip/.test(label);
  const first = DATA.filters.flatMap((about, i) => (isNoise(about) ? byParameter[i] : []));
  const others = DATA.filters.flatMap((about, i) => (isNoise(about) ? [] : byParameter[i]));
  const search = searchField("Search", (entered) => {
    words = entered;
    changed();
  });
  const names = ALL_GROUPS.map((group) => KINDS.map((kind) => labelOf(kind, group)).join(" ").toLowerCase());
  return {
    elements: [
      search,
      ...byLabel("dataset", "Data set"),
      ...byLabel("algorithm", "Algorithm"),
      ...byLabel("oracle", "Oracle"),
      ...byPoint("budget", "Budget", "none"),
      ...byPoint("checkpoint", "After queries", "end"),
      ...first,
      ...(others.length
        ? [element("details", {}, element("summary", { text: "Parameters" }), element("div", { class: "controls" }, ...others))]
        : []),
    ],
    keeps: (group) =>
      words.every((word) => names[group].includes(word)) &&
      [...chosen.values()].every((keeps) => !keeps || keeps(group)),
  };
}

function makeLeaderboard(place) {
  if (!N_GROUPS) {
    place.append(element("p", { text: "This run has no cells." }));
    return;
  }
  const state = { each: false, skipped: false, metric: ANY };
  const holder = element("div");
  const table = new SortedTable(holder, {
    columns: [],
    name: "leaderboard",
    caption: "Leaderboard",
    rowClass: ({ group }) => (REFERENCES.has(group) ? "faint" : ""),
  });
  const draw = () => {
    const keeps = (group) => filters.keeps(group) && (state.skipped || !wasSkipped(group));
    const metrics = METRICS.map((metric, m) => [metric, m]).filter(([metric]) => state.metric === ANY || metric.label === state.metric);
    if (state.each) {
      const rows = CELLS.group.map((group, cell) => ({ group, cell })).filter(({ group }) => keeps(group));
      table.show(rows, [...nameColumns(), ...cellColumns(), ...metrics.map(([metric, m]) => valueColumn(metric, m))]);
    } else {
      const rows = ALL_GROUPS.filter(keeps).map((group) => ({ group }));
      table.show(rows, [...nameColumns(), doneColumn(), ...metrics.map(([metric, m]) => meanColumn(metric, m))]);
    }
  };
  const filters = groupFilters(draw);
  const shown = choice("Rows", [["means", "means"], ["each", "each repetition"]], "means", (value) => {
    state.each = value === "each";
    draw();
  });
  const metric = choices("Metric", [[ANY, "all"], ...METRICS.map(({ label }) => [label, label])], ANY, (value) => {
    state.metric = value;
    draw();
  });
  const [search, ...others] = filters.elements;
  const skipped = ALL_GROUPS.some(wasSkipped)
    ? [choice("Inapplicable", [["", "hidden"], ["yes", "shown"]], "", (value) => {
        state.skipped = value === "yes";
        draw();
      })]
    : [];
  const details = others.filter((control) => control.tagName === "DETAILS");
  const plain = others.filter((control) => control.tagName !== "DETAILS");
  const push = element("div", { class: "control push" }, button("CSV of these rows", () => table.saveCsv()));
  place.append(
    element("div", { class: "controls" }, search, ...plain, ...metric, shown, ...skipped, push, ...details),
    holder,
  );
  draw();
}
