// A table that is searched, filtered, sorted by pressing the head of a column, and paged.
//
// Columns have a label and properties, rows have cells; see hcbench.pages.report.figures.make_table.
// What was chosen is kept in the address under `key`.

const textOf = (cell) => (Array.isArray(cell) ? cell[0] : cell === null || cell === undefined ? "" : String(cell));
const valueOf = (cell) => (Array.isArray(cell) ? cell[1] : cell);
const aboutOf = (cell) => (Array.isArray(cell) ? cell[2] : undefined) ?? {};
const capitalised = (text) => text[0].toUpperCase() + text.slice(1);
const partsOf = (cell) => aboutOf(cell).parts ?? [textOf(cell)];
const isNumeric = (cells) => cells.some((cell) => typeof valueOf(cell) === "number");
const collate = new Intl.Collator("en", { numeric: true }).compare;

// A label that is broken after brackets and commas, and at blanks; long parts also elsewhere.
const breakable = (text) =>
  element("span", {}, ...text.split(/(?<=[[, ])/).flatMap((part) => [element("span", { class: part.length <= 24 ? "part" : "", text: part }), element("wbr")]));

// A frame whose shadows show on which sides more columns are.
function scrollHint(scroll) {
  const frame = element("div", { class: "scroll-frame" }, scroll);
  const update = () => {
    const rest = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
    frame.classList.toggle("more-left", scroll.scrollLeft > 1);
    frame.classList.toggle("more-right", rest > 1);
  };
  scroll.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(scroll);
  return frame;
}

class Table {
  static all = [];
  static printed = 1000; // rows
  static longest = 120; // letters of a text that is shown whole
  static printedWidth = 112; // letters on a sheet of paper

  constructor(place, key, { noun, columns, rows, kinds = [], page = 25, names = 1 }, { caption = key, file = key } = {}) {
    Object.assign(this, { key, noun, names, file, caption, pageSize: page, page: 0, printing: false, open: new Set() });
    this.columns = columns.map((column, at) => ({ ...column, at, numeric: isNumeric(rows.map((row) => row[at])) }));
    this.units = [];
    rows.forEach((cells, i) => {
      const unit = { cells, kind: kinds[i] ?? "", members: [] };
      if (unit.kind === "variant") this.units.at(-1).members.push(unit);
      else this.units.push(unit);
    });
    this.unfolded = rows.length <= 15;
    this.controls = element("div", { class: "controls" });
    this.holder = element("div");
    this.notes = element("ol", { class: "notes" });
    this.count = element("span", { class: "count", role: "status" });
    this.previous = button("Previous", () => this.turn(-1));
    this.next = button("Next", () => this.turn(1));
    const sizes = [10, 25, 50, 100, 500].map((size) => [size, `${size} a page`]);
    this.size = choice("", sizes, this.pageSize, (size) => {
      this.pageSize = Number(size);
      this.turn(-this.page);
    });
    this.size.querySelector("select").setAttribute("aria-label", "Rows a page");
    const csv = button("CSV", () => this.save(), { title: "Save these rows" });
    this.pager = element("div", { class: "pager" }, this.count, this.size, this.previous, this.next, csv);
    place.append(this.controls, this.holder, this.pager, this.notes);
    this.addControls(rows);
    this.draw();
    Table.all.push(this);
  }

  // ---- Choices --------------------------------------------------------------------------------

  get(name, fallback) {
    return state.get(`${this.key}.${name}`, fallback);
  }

  set(name, value) {
    state.set(`${this.key}.${name}`, value);
    this.page = 0;
    this.draw();
  }

  addControls(rows) {
    if (rows.length > 5) this.controls.append(searchField("Search", this.get("search"), (text) => this.set("search", text)));
    if (this.columns.filter(({ best }) => best).length > 8) {
      this.controls.append(searchField("Columns", this.get("columns"), (text) => this.set("columns", text)));
    }
    const families = distinct(this.columns.map(({ family }) => family).filter(Boolean));
    if (families.length > 1 && families.length < this.columns.filter(({ family }) => family).length) {
      const options = [["", "all"], ...families.map((text) => [text, text])];
      this.controls.append(choice("Family of data sets", options, this.get("family"), (text) => this.set("family", text)));
    }
    const hidden = [];
    for (const { label, at, filter, hidden: isHidden, control: hasControl } of this.columns) {
      const aside = isHidden && !hasControl;
      const texts = filter ? distinct(rows.flatMap((row) => partsOf(row[at])).filter(Boolean)).sort(collate) : [];
      if (texts.length < 2 || texts.length > 300) continue;
      const options = [["", "all"], ...texts.map((text) => [text, text])];
      const control = choice(hasControl ? capitalised(label) : label, options, this.get(label), (text) => this.set(label, text));
      if (aside) hidden.push(control);
      else this.controls.append(control);
    }
    if (!hidden.length) return;
    const isOpen = this.columns.some(({ label, hidden: aside }) => aside && this.get(label));
    const within = element("div", { class: "controls" }, ...hidden);
    this.controls.append(element("details", { open: isOpen }, element("summary", { text: "Parameters" }), within));
  }

  keeps({ cells }) {
    const text = cells.map(textOf).join(" ").toLowerCase();
    if (!wordsOf(this.get("search")).every((word) => text.includes(word))) return false;
    return this.columns.every(({ label, at, filter }) => !filter || !this.get(label) || partsOf(cells[at]).includes(this.get(label)));
  }

  // The sorting: {at, order}, or nothing for the order of the page.
  sorting() {
    const chosen = this.get("sort");
    const column = this.columns.find(({ label }) => label === chosen.replace(/^[+-]/, ""));
    return column && { at: column.at, label: column.label, order: chosen.startsWith("-") ? "descending" : "ascending" };
  }

  sortBy({ label, best }) {
    const now = this.sorting();
    const first = best === "higher" ? "-" : "+";
    const other = now?.order === "descending" ? "+" : "-";
    this.set("sort", (now?.label === label ? other : first) + label);
    this.holder.querySelector(`[data-column="${CSS.escape(label)}"]`).focus();
  }

  // The rows that are kept, in order; members of a family follow it, references are last.
  rows() {
    const sorting = this.sorting();
    const isNothing = (value) => value === null || value === undefined || value === "";
    const sign = sorting?.order === "descending" ? -1 : 1;
    const inOrder = (units) => {
      if (!sorting) return units;
      return units
        .map((unit) => [valueOf(unit.cells[sorting.at]), unit])
        .sort(([a, x], [b, y]) => {
          const apart = (x.kind === "reference") - (y.kind === "reference") || isNothing(a) - isNothing(b);
          if (apart || isNothing(a)) return apart;
          return sign * (typeof a === "number" && typeof b === "number" ? a - b : collate(a, b));
        })
        .map(([, unit]) => unit);
    };
    return inOrder(this.units).flatMap((unit) => {
      const members = inOrder(unit.members.filter((member) => this.keeps(member)));
      if (!members.length && (unit.members.length || !this.keeps(unit))) return [];
      const isOpen = this.printing || this.isOpen(unit) || (members.length && this.get("search"));
      return isOpen ? [unit, ...members] : [unit];
    });
  }

  isOpen(unit) {
    return this.open.has(unit) !== this.unfolded;
  }

  turn(by) {
    this.page += by;
    this.draw();
  }

  // ---- Drawing --------------------------------------------------------------------------------

  draw() {
    const rows = this.rows();
    const first = this.printing ? 0 : this.page * this.pageSize;
    const shown = rows.slice(first, first + (this.printing ? Table.printed : this.pageSize));
    const words = wordsOf(this.get("columns"));
    const family = this.get("family");
    const columns = this.columns.filter(
      (column) =>
        !column.hidden &&
        (!column.best || words.every((word) => column.label.toLowerCase().includes(word))) &&
        (!column.family || !family || column.family === family),
    );
    const notes = new Map();
    const parts = this.printing ? this.sheets(columns, shown) : [columns];
    this.holder.replaceChildren(...parts.map((part) => this.drawTable(part, shown, notes)));
    this.notes.replaceChildren(...[...notes.keys()].map((text) => element("li", { text })));
    const total = rows.length;
    const range = total > shown.length ? `${(first + 1).toLocaleString("en")}–${(first + shown.length).toLocaleString("en")} of ` : "";
    const noun = total === 1 ? this.noun : `${this.noun}s`;
    this.count.textContent = total ? `${range}${total.toLocaleString("en")} ${noun}` : `no ${this.noun} matches the filters`;
    this.previous.disabled = this.page === 0;
    this.next.disabled = first + this.pageSize >= total;
    for (const control of [this.previous, this.next, this.size]) control.hidden = total <= 10;
  }

  // Columns that fit on a sheet of paper, each time with those that identify a row.
  sheets(columns, rows) {
    const longest = (texts) => Math.max(8, ...texts.map(({ length }) => length));
    const lengthOf = ({ at, label, wide }) =>
      3 + Math.min(wide ? 15 : 26, longest([...label.split(/[[,\s-]/), ...rows.map(({ cells }) => textOf(cells[at]))]));
    const names = columns.slice(0, this.names);
    const free = names.reduce((room, column) => room - lengthOf(column), Table.printedWidth);
    const parts = [[]];
    let room = free;
    for (const column of columns.slice(this.names)) {
      if (parts.at(-1).length && lengthOf(column) > room) {
        parts.push([]);
        room = free;
      }
      parts.at(-1).push(column);
      room -= lengthOf(column);
    }
    return parts.map((part) => [...names, ...part]);
  }

  drawTable(columns, rows, notes) {
    const sorting = this.sorting();
    const heads = columns.map((column) =>
      element(
        "th",
        { scope: "col", class: column.numeric ? "number" : "", "aria-sort": sorting?.at === column.at ? sorting.order : "none" },
        this.printing
          ? breakable(column.label)
          : button("", () => this.sortBy(column), { "data-column": column.label }, breakable(column.label)),
      ),
    );
    const body = rows.map((unit) => {
      const cells = columns.map((column, place) => this.drawCell(column, unit, place, notes));
      return element("tr", { class: unit.kind }, ...cells);
    });
    const table = element(
      "table",
      {},
      element("caption", { class: "hidden-text", text: this.caption }),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...body),
    );
    const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": this.caption }, table);
    return scrollHint(scroll);
  }

  drawCell({ at, numeric, wide }, unit, place, notes) {
    const cell = unit.cells[at];
    const { href, heat, best, note, badge } = aboutOf(cell);
    const text = textOf(cell) || "–";
    const isShort = !wide && text.length <= 26;
    const looks = [numeric && "number", wide && "wide", isShort && "short", !(numeric || wide || isShort) && "long", best && "best", heat !== undefined && "heat"];
    const drawn = element(place ? "td" : "th", { class: looks.filter(Boolean).join(" "), scope: place ? null : "row" });
    if (heat !== undefined) drawn.style.setProperty("--heat", heat);
    const [value, spread] = numeric ? text.split(/(?= (?:± |\[))/) : [text];
    if (!place && unit.members.length) {
      const toggle = () => {
        if (!this.open.delete(unit)) this.open.add(unit);
        this.draw();
      };
      drawn.append(button(text, toggle, { class: "fold", "aria-expanded": String(this.isOpen(unit)) }));
    } else if (href) drawn.append(element("a", { href }, breakable(text)));
    else if (badge) drawn.append(element("span", { class: `badge ${badge}`, text }));
    else if (wide && text.length > Table.longest && !this.printing) drawn.append(...this.shortened(text));
    else drawn.append(numeric ? value : breakable(value), ...(spread ? [element("span", { class: "spread", text: spread })] : []));
    if (best) drawn.append(element("span", { class: "hidden-text", text: " (best)" }));
    if (note) {
      if (!notes.has(note)) notes.set(note, notes.size + 1);
      drawn.append(element("sup", { text: notes.get(note) }));
    }
    return drawn;
  }

  // The beginning of a long text, and a button that shows all of it.
  shortened(text) {
    const part = element("span", {}, breakable(`${text.slice(0, Table.longest)}… `));
    const more = button("more", () => {
      part.replaceChildren(breakable(text));
      more.remove();
    });
    more.className = "more";
    return [part, more];
  }

  save() {
    const cellOf = (cell) => (typeof valueOf(cell) === "number" ? valueOf(cell) : textOf(cell));
    const rows = this.rows().filter(({ kind }) => kind !== "family");
    saveCsv(this.file, this.columns.map(({ label }) => label), rows.map(({ cells }) => cells.map(cellOf)));
  }

  static print(printing) {
    for (const table of Table.all) {
      table.printing = printing;
      if (table.holder.isConnected) table.draw();
    }
  }
}
