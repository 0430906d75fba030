// Elements of the page. Data are always set as text, never as markup.

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

// A labelled select; `options` are [value, text] pairs. `changed` is called with the value.
function choice(label, options, value, changed) {
  const select = element("select", { onchange: () => changed(select.value) });
  for (const [id, text] of options) {
    select.append(element("option", { value: id, text, selected: String(id) === String(value) }));
  }
  return element("label", {}, label, select);
}

// As `choice`, but empty if there is a single option.
const choices = (label, options, value, changed) =>
  options.length > 1 ? [choice(label, options, value, changed)] : [];

// A search field; `changed` is called with the words in lower case.
function searchField(label, changed) {
  let waiting;
  const input = element("input", {
    type: "search",
    oninput: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => changed(input.value.toLowerCase().split(/\s+/).filter(Boolean)), 120);
    },
  });
  return element("label", {}, label, input);
}

const button = (text, pressed, properties = {}) =>
  element("button", { type: "button", text, onclick: pressed, ...properties });

const VERDICTS = { reproduced: ["good", "✓"], differs: ["bad", "✗"], erratum: ["odd", "!"] };

function verdictBadge(word) {
  const [look, sign] = VERDICTS[word] ?? ["", "–"];
  return element("span", { class: `badge ${look}` }, element("span", { "aria-hidden": "true", text: sign }), word);
}
