// Downloads.

function csvField(value) {
  if (value === null || value === undefined) return "";
  let text = String(value);
  // A spreadsheet would interpret such a text as a formula.
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && !isNumber(Number(text))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvOf = (header, rows) => [header, ...rows].map((row) => row.map(csvField).join(",")).join("\n") + "\n";

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const saveCsv = (name, header, rows) => save(`${DATA.name}-${name}.csv`, "text/csv;charset=utf-8", csvOf(header, rows));

for (const copier of document.querySelectorAll("[data-copies]")) {
  copier.addEventListener("click", async () => {
    const source = document.getElementById(copier.dataset.copies);
    try {
      await navigator.clipboard.writeText(source.textContent);
      copier.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      copier.textContent = "Press Ctrl+C";
    }
  });
}
