// The tables of a page.

for (const { title, table } of JSON.parse(document.getElementById("listings").textContent)) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  new Table(document.getElementById(`table-${id}`), id, table, { caption: title });
}
document.documentElement.dataset.ready = "yes";
