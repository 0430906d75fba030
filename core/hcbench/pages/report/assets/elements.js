// Elements of the page and downloads. Data are always set as text, never as markup.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// The text of a script element, which is compressed where the whole report is one file.
async function unpacked({ type, textContent }) {
  if (type !== "application/zlib") return textContent;
  const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

const button = (text, pressed, properties = {}, ...children) =>
  element("button", { type: "button", text, onclick: pressed, ...properties }, ...children);

const distinct = (values) => [...new Set(values)];

// A labelled select; `options` are [value, text] pairs. `changed` is called with the value.
function choice(label, options, value, changed) {
  const select = element("select", { onchange: () => changed(select.value) });
  for (const [id, text] of options) {
    select.append(element("option", { value: id, text, selected: String(id) === String(value) }));
  }
  return element("label", {}, label, select);
}

// A search field; `changed` is called with its text.
function searchField(label, value, changed) {
  let waiting;
  const input = element("input", {
    type: "search",
    value,
    oninput: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => changed(input.value), 120);
    },
  });
  return element("label", {}, label, input);
}

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

function csvField(value) {
  if (value === null || value === undefined) return "";
  let text = String(value);
  // A spreadsheet would interpret such a text as a formula.
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveCsv(name, header, rows) {
  const text = [header, ...rows].map((row) => row.map(csvField).join(",")).join("\n") + "\n";
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  element("a", { href: url, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
