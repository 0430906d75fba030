// The tables of a page, each with a search field.

function csvColumns({ label, type }, place) {
  if (type !== "mean") return [[label, (row) => (type === "link" ? row[place]?.[0] : row[place])]];
  return [[label, (row) => row[place]?.[0]], [`${label} std`, (row) => row[place]?.[1]]];
}

function columnOf(about, place) {
  const { label, type, metric } = about;
  const made = { id: `${place} ${label}`, label, value: (row) => row[place], csv: csvColumns(about, place) };
  if (type === "link") {
    made.value = (row) => row[place][0];
    made.fill = (cell, row) => cell.append(element("a", { href: row[place][1], text: row[place][0] }));
  } else if (type === "mean") {
    made.label += ARROWS[metric.direction];
    made.numeric = true;
    made.bestFirst = metric.direction === "higher" ? "descending" : "ascending";
    made.value = (row) => number(row[place]?.[0] ?? null);
    made.fill = (cell, row) => {
      const found = parts(number(row[place]?.[0] ?? null), number(row[place]?.[1] ?? null), metric);
      cell.append(found.value, element("span", { class: "spread", text: found.spread }));
    };
  } else if (type === "number") {
    made.numeric = true;
    made.fill = (cell, row) => cell.append(row[place]?.toLocaleString("en") ?? "–");
  } else if (label === "command") {
    made.long = true;
    made.fill = (cell, row) => cell.append(element("code", { text: row[place] }));
  }
  return made;
}

const textOf = (row) => row.map((cell) => (Array.isArray(cell) ? cell[0] : cell)).join(" ").toLowerCase();

function makeListing(place, { title, noun, columns, rows }) {
  const holder = element("div");
  const table = new SortedTable(holder, { columns: columns.map(columnOf), name: title.toLowerCase(), caption: title, noun });
  const texts = new Map(rows.map((row) => [row, textOf(row)]));
  const search = searchField(`Search ${title.toLowerCase()}`, (words) => {
    table.show(rows.filter((row) => words.every((word) => texts.get(row).includes(word))));
  });
  if (rows.length > 10) place.append(element("div", { class: "controls" }, search));
  place.append(holder);
  table.show(rows);
}

const LISTINGS = JSON.parse(document.getElementById("listings").textContent);
LISTINGS.forEach((listing, i) => makeListing(document.getElementById(`listing-${i}`), listing));
document.documentElement.dataset.ready = "yes";
