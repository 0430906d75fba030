// A table with pages that is sorted by pressing the head of a column.

const SHORT = 34; // texts of at most this length are not wrapped

class SortedTable {
  // place: element; columns: [{id, label, numeric, value(row), fill(cell, row), header}], where
  // value is sorted and written to CSV; name is that of the CSV file.
  constructor(place, { columns, name, caption, pageSize = 25, noun = "row", rowClass = () => "" }) {
    Object.assign(this, { columns, name, noun, rowClass, pageSize });
    this.rows = [];
    this.page = 0;
    this.sorting = null;
    this.table = element("table", {}, element("caption", { class: "hidden-text", text: caption }));
    this.head = element("thead");
    this.body = element("tbody");
    this.table.append(this.head, this.body);
    this.count = element("span", { class: "count", role: "status" });
    this.previous = button("Previous", () => this.turn(-1));
    this.next = button("Next", () => this.turn(1));
    const sizes = [10, 25, 50, 100, 500].map((size) => [size, `${size} a page`]);
    const size = choice("", sizes, pageSize, (chosen) => {
      this.pageSize = Number(chosen);
      this.page = 0;
      this.draw();
    });
    size.querySelector("select").setAttribute("aria-label", "Rows a page");
    this.pager = element("div", { class: "pager" }, this.count, size, this.previous, this.next);
    const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, this.table);
    place.replaceChildren(scroll, this.pager);
  }

  show(rows, columns = this.columns) {
    this.columns = columns;
    this.rows = rows;
    this.page = 0;
    if (this.sorting && !columns.some((column) => column.id === this.sorting.id)) this.sorting = null;
    this.arrange();
    this.drawHead();
    this.draw();
  }

  sortBy(id) {
    const same = this.sorting?.id === id;
    const { bestFirst = "ascending" } = this.columns.find((column) => column.id === id);
    const other = { ascending: "descending", descending: "ascending" };
    this.sorting = { id, order: same ? other[this.sorting.order] : bestFirst };
    this.page = 0;
    this.arrange();
    this.drawHead();
    this.draw();
  }

  arrange() {
    this.sorted = this.rows;
    if (!this.sorting) return;
    const column = this.columns.find(({ id }) => id === this.sorting.id);
    const sign = this.sorting.order === "ascending" ? 1 : -1;
    const collate = new Intl.Collator("en", { numeric: true }).compare;
    const isNothing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collate(a, b));
    this.sorted = this.rows
      .map((row) => [column.value(row), row])
      .sort(([a], [b]) => isNothing(a) - isNothing(b) || (isNothing(a) ? 0 : sign * compare(a, b)))
      .map(([, row]) => row);
  }

  turn(by) {
    this.page += by;
    this.draw();
  }

  drawHead() {
    const cells = this.columns.map((column) => {
      const order = this.sorting?.id === column.id ? this.sorting.order : "none";
      return element(
        "th",
        { scope: "col", class: column.numeric ? "number" : "", "aria-sort": order },
        button(column.label, () => {
          this.sortBy(column.id);
          this.head.querySelector(`[data-column="${CSS.escape(column.id)}"]`).focus();
        }, { "data-column": column.id }),
      );
    });
    this.head.replaceChildren(element("tr", {}, ...cells));
  }

  draw() {
    const first = this.page * this.pageSize;
    const shown = this.sorted.slice(first, first + this.pageSize);
    this.body.replaceChildren(...shown.map((row) => this.drawRow(row)));
    const total = this.rows.length;
    const range = total > shown.length ? `${(first + 1).toLocaleString("en")}–${(first + shown.length).toLocaleString("en")} of ` : "";
    this.count.textContent = total ? range + counted(total, this.noun) : `no ${this.noun} matches the filters`;
    this.previous.disabled = this.page === 0;
    this.next.disabled = first + this.pageSize >= total;
    const onePage = total <= 10;
    for (const control of [this.previous, this.next, this.pager.querySelector("label")]) control.hidden = onePage;
  }

  drawRow(row) {
    const drawn = element("tr", { class: this.rowClass(row) });
    this.columns.forEach((column, place) => {
      const cell = element(place ? "td" : "th", { class: column.numeric ? "number" : column.long ? "text" : undefined });
      if (!place) cell.scope = "row";
      if (column.fill) column.fill(cell, row);
      else cell.textContent = column.value(row) ?? "–";
      if (!column.long && cell.textContent.length <= SHORT) cell.classList.add("short");
      drawn.append(cell);
    });
    return drawn;
  }

  saveCsv() {
    const flat = this.columns.flatMap((column) => column.csv ?? [[column.label, column.value]]);
    saveCsv(this.name, flat.map(([label]) => label), this.sorted.map((row) => flat.map(([, value]) => value(row))));
  }
}
