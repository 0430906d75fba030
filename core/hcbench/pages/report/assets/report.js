// Draws the sections of a report; an error in one does not affect the others.

const DATA = JSON.parse(await unpacked(document.getElementById("data")));

class Section {
  constructor(place, id, { controls, views }) {
    Object.assign(this, { id, labels: controls, views, made: new Map() });
    this.controls = element("div", { class: "controls" });
    this.blocks = element("div", { class: "blocks" });
    place.append(this.controls, this.blocks);
    this.draw();
  }

  // The blocks of the chosen view. What can be chosen depends on the controls before it.
  draw() {
    let views = this.views;
    const controls = this.labels.flatMap((label, place) => {
      const options = distinct(views.map(([values]) => values[place]));
      const kept = state.get(`${this.id}.${label}`);
      const value = options.includes(kept) ? kept : options[0];
      views = views.filter(([values]) => values[place] === value);
      const chosen = (text) => {
        state.set(`${this.id}.${label}`, text);
        this.draw();
        [...this.controls.children].find(({ firstChild }) => firstChild.textContent === label)?.querySelector("select").focus();
      };
      return options.length > 1 ? [choice(label, options.map((text) => [text, text || "–"]), value, chosen)] : [];
    });
    this.controls.replaceChildren(...controls);
    this.blocks.replaceChildren(...views[0][1].map((block) => this.block(block)));
    Figure.all.filter(({ drawn }) => !drawn).forEach((figure) => figure.reserve());
  }

  block({ table, figure, title, lines }) {
    if (title) return element("h3", { text: title });
    if (lines) return element("ul", {}, ...lines.map((text) => element("li", { text })));
    const name = table ?? figure;
    if (!this.made.has(name)) {
      const isCrowded = figure && DATA.figures[name].data.filter(({ showlegend }) => showlegend).length > 20;
      const place = element("div", { class: table ? "table-block" : `figure-block${isCrowded ? " crowded" : ""}` });
      const file = `${DATA.name}-${name}`;
      if (figure) new Figure(place, this.id, DATA.figures[name], file);
      else new Table(place, DATA.tables[name].state ?? name, DATA.tables[name], { caption: name, file });
      this.made.set(name, place);
    }
    return this.made.get(name);
  }
}

for (const place of document.querySelectorAll("[data-section]")) {
  try {
    new Section(place, place.dataset.section, DATA.sections[place.dataset.section]);
  } catch (error) {
    console.error(error);
    place.append(element("p", { text: `This section could not be drawn: ${error.message}` }));
  }
}

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

// The navigation marks the visible section.
const links = new Map([...document.querySelectorAll(".bar nav a")].map((link) => [link.hash.slice(1), link]));
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-20% 0px -70%" },
);
for (const section of document.querySelectorAll("main > section")) reading.observe(section);

// On paper everything is shown: all rows, all columns, closed texts, and figures that fit.
window.addEventListener("beforeprint", () => {
  theme.show("light");
  for (const closed of document.querySelectorAll("details:not([open])")) {
    closed.open = true;
    closed.dataset.printed = "yes";
  }
  Table.print(true);
  Figure.print(true);
});
window.addEventListener("afterprint", () => {
  for (const opened of document.querySelectorAll("[data-printed]")) {
    opened.open = false;
    delete opened.dataset.printed;
  }
  Table.print(false);
  Figure.print(false);
  theme.settle();
});
if (document.getElementById("plotly")?.dataset.src) (window.requestIdleCallback ?? setTimeout)(loadPlotly);

const shown = document.getElementById(state.section);
if (shown) history.scrollRestoration = "manual"; // or a reload would scroll back once all is loaded
shown?.scrollIntoView({ behavior: "instant" });
document.documentElement.dataset.ready = "yes";
