// The claims of a suite with their verdicts.

function makeClaims(place) {
  if (!place) return;
  const holder = element("div");
  const state = { verdict: ANY, words: [] };
  const errorText = ({ error }) => (error === null ? "" : ` ± ${significant(number(error))}`);
  const table = new SortedTable(holder, {
    columns: [
      { id: "claim", label: "claim", long: true, value: ({ claim }) => claim },
      { id: "claimed", label: "paper", value: ({ claimed }) => claimed },
      {
        id: "measured",
        label: "measured ± s.e.",
        numeric: true,
        value: ({ measured }) => number(measured),
        fill: (cell, row) => {
          cell.textContent = row.measured === null ? "–" : significant(number(row.measured), 4);
          cell.append(element("span", { class: "spread", text: errorText(row) }));
        },
        csv: [["measured", ({ measured }) => measured], ["standard error", ({ error }) => error]],
      },
      { id: "verdict", label: "verdict", value: ({ verdict }) => verdict, fill: (cell, { verdict }) => cell.append(verdictBadge(verdict)) },
      { id: "note", label: "note", long: true, value: ({ note }) => note, fill: (cell, { note }) => cell.append(element("span", { class: "spread", text: note })) },
    ],
    name: "claims",
    caption: "Claims and verdicts",
    noun: "claim",
    pageSize: 10,
  });
  const draw = () =>
    table.show(
      DATA.claims.filter(
        ({ claim, note, verdict }) =>
          (state.verdict === ANY || state.verdict === verdict) &&
          state.words.every((word) => `${claim} ${note}`.toLowerCase().includes(word)),
      ),
    );
  const labels = distinct(DATA.claims.map(({ verdict }) => verdict));
  const verdicts = choices("Verdict", [[ANY, "all"], ...labels.map((label) => [label, label])], ANY, (value) => {
    state.verdict = value;
    draw();
  });
  const search = searchField("Search claims", (words) => {
    state.words = words;
    draw();
  });
  const push = element("div", { class: "control push" }, button("CSV of these claims", () => table.saveCsv()));
  place.append(element("div", { class: "controls" }, search, ...verdicts, push), holder);
  draw();
}
