// Figures, drawn by plotly when they become visible, with downloads and a table of their data.

// Without plotly's button that sends the figure to a server.
const MODEBAR = [["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]];

let loading = null;

// Plotly is text in the page, or a file beside it, until the first figure is drawn.
function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    const held = document.getElementById("plotly");
    const script = document.createElement("script");
    if (held.dataset.src) {
      script.src = held.dataset.src;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error(`${held.dataset.src} cannot be read`));
      document.head.append(script);
    } else {
      script.textContent = held.textContent;
      document.head.append(script);
      held.remove();
      resolve(window.Plotly);
    }
  });
  return loading;
}

// Labels of plotly may contain markup, which is escaped here; lines are separated by <br>.
const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function baseLayout() {
  return {
    paper_bgcolor: shade("ground"),
    plot_bgcolor: shade("ground"),
    font: { family: shade("sans").replaceAll('"', "'"), size: 12.5, color: shade("text") },
    hovermode: "closest",
    hoverlabel: {
      bgcolor: shade("raised"),
      bordercolor: shade("soft"),
      font: { color: shade("text"), family: shade("sans").replaceAll('"', "'") },
      align: "left",
      namelength: -1,
    },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: shade("soft"), activecolor: shade("accent") },
    showlegend: false,
    dragmode: "zoom",
  };
}

const axis = (title, more = {}) => ({
  title: { text: plain(title), standoff: 8 },
  gridcolor: shade("sunken"),
  zerolinecolor: shade("line"),
  linecolor: shade("line"),
  showline: true,
  ticks: "outside",
  tickcolor: shade("line"),
  automargin: true,
  exponentformat: "SI",
  ...more,
});

// The legend beside the figure if it fits, else below it; returns {legend, below: height below}.
function legendFor(names, width) {
  const longest = Math.max(0, ...names.map((name) => name.length));
  const needed = 60 + 7 * Math.min(longest, 60);
  const font = { size: 12 };
  if (width > 720 && needed < width * 0.4) {
    return { legend: { font, x: 1.02, y: 1, xanchor: "left", yanchor: "top" }, below: 0 };
  }
  const across = Math.max(1, Math.floor((width - 80) / needed));
  const below = 22 * Math.ceil(names.length / across) + 16;
  return { legend: { font, orientation: "h", x: 0, y: 0, xanchor: "left", yanchor: "bottom", yref: "container" }, below };
}

// A figure of panels with a legend; returns {grid, finish(traces)}.
function panelFigure(titles, names, width) {
  const { legend, below } = legendFor(names, width);
  const grid = panelGrid(titles, below ? width : width * 0.75, { most: titles.length === 4 ? 2 : 3 });
  const margin = { l: 60, r: 20, t: 46, b: 50 + below };
  const finish = (traces) => ({
    traces,
    layout: { ...grid.axes, annotations: grid.annotations, showlegend: true, legend, margin },
    height: grid.height + 60 + below,
  });
  return { grid, finish };
}

// The layout of panels: {set(place, x, y), axes, annotations, height, isLeft, isLowest, ids}.
function panelGrid(titles, width, { most }) {
  const count = titles.length;
  const columns = Math.min(count, most, Math.max(1, Math.floor(width / 300)));
  const rows = Math.ceil(count / columns);
  const gapX = columns > 1 ? 0.09 : 0;
  const height = rows > 1 ? rows * 290 : 330;
  const gapY = rows > 1 ? 85 / height : 0;
  const wide = (1 - gapX * (columns - 1)) / columns;
  const tall = (1 - gapY * (rows - 1)) / rows;
  const domain = (place) => {
    const [row, column] = [Math.floor(place / columns), place % columns];
    const top = 1 - row * (tall + gapY);
    const left = column * (wide + gapX);
    return { x: [left, Math.min(1, left + wide)], y: [Math.max(0, top - tall), Math.min(1, top)] };
  };
  const suffix = (place) => (place ? String(place + 1) : "");
  const axes = {};
  const set = (place, x, y) => {
    axes[`xaxis${suffix(place)}`] = { ...x, domain: domain(place).x, anchor: `y${suffix(place)}` };
    axes[`yaxis${suffix(place)}`] = { ...y, domain: domain(place).y, anchor: `x${suffix(place)}` };
  };
  const most_letters = Math.floor((width / columns - 40) / 7);
  const annotations = titles.map((title, place) => ({
    text: `<b>${plain(cut(title, most_letters))}</b>`,
    hovertext: plain(title),
    x: domain(place).x[0],
    y: domain(place).y[1],
    xref: "paper",
    yref: "paper",
    xanchor: "left",
    yanchor: "bottom",
    showarrow: false,
    font: { size: 12.5 },
  }));
  return {
    set,
    axes,
    annotations: count > 1 || titles[0] ? annotations : [],
    height,
    isLeft: (place) => place % columns === 0,
    isLowest: (place) => place + columns >= count,
    ids: (place) => ({ xaxis: `x${suffix(place)}`, yaxis: `y${suffix(place)}` }),
  };
}

class Figure {
  // build(width) returns {traces, layout, height, header, rows, caption, fixed} or {empty: reason}.
  constructor(place, name, build) {
    Object.assign(this, { name, build, drawn: false, visible: false });
    this.plot = element("div", { class: "plot" });
    this.caption = element("figcaption");
    this.table = element("div", { class: "scroll data-table", hidden: true, tabindex: "0", role: "region", "aria-label": "Data of the figure" });
    this.reader = button("Data as table", () => this.showTable(), { "aria-expanded": "false" });
    this.tools = element(
      "div",
      { class: "plot-tools" },
      button("SVG", () => this.image("svg")),
      button("PNG", () => this.image("png")),
      button("CSV", () => saveCsv(this.name, this.built.header, this.built.rows)),
      this.reader,
    );
    place.append(element("figure", {}, this.plot, this.caption, this.tools, this.table));
    Figure.all.push(this);
    Figure.watcher.observe(this.plot);
  }

  change() {
    this.drawn = false;
    if (this.visible) this.draw();
  }

  async draw() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.drawn = true;
    try {
      const Plotly = await loadPlotly();
      if (turn !== this.turn) return;
      this.built = this.build(Math.max(280, this.plot.clientWidth));
      const { empty, traces, layout, height, caption, fixed } = this.built;
      this.plot.classList.toggle("is-empty", Boolean(empty));
      this.tools.hidden = Boolean(empty);
      this.caption.textContent = caption ?? "";
      if (!this.table.hidden) this.fillTable();
      if (empty) {
        Plotly.purge(this.plot);
        this.plot.replaceChildren(element("p", { class: "empty", text: empty }));
        return;
      }
      this.plot.querySelector(".empty")?.remove();
      this.plot.style.minHeight = `${height}px`;
      const config = { responsive: true, displaylogo: false, modeBarButtons: MODEBAR, displayModeBar: fixed ? false : "hover" };
      await Plotly.react(this.plot, traces, { ...baseLayout(), ...layout, height }, config);
      this.plot.dataset.drawn = "yes";
    } catch (error) {
      console.error(error);
      this.plot.replaceChildren(element("p", { class: "empty", text: `This figure could not be drawn: ${error.message}` }));
    }
  }

  image(format) {
    const { clientWidth: width, clientHeight: height } = this.plot;
    const scale = format === "png" ? 2 : 1;
    window.Plotly.downloadImage(this.plot, { format, width, height, scale, filename: `${DATA.name}-${this.name}` });
  }

  showTable() {
    this.table.hidden = !this.table.hidden;
    this.reader.setAttribute("aria-expanded", String(!this.table.hidden));
    if (!this.table.hidden) this.fillTable();
  }

  fillTable() {
    const { header = [], rows = [] } = this.built;
    const most = 500;
    const line = (tag, values) => element("tr", {}, ...values.map((value) => element(tag, { text: isNumber(value) ? significant(value, 5) : (value ?? "–"), class: isNumber(value) ? "number" : "" })));
    const left = rows.length > most ? ` The first ${most} of ${rows.length} rows; the CSV has all.` : "";
    this.table.replaceChildren(
      element(
        "table",
        {},
        element("caption", { text: `Data of the figure.${left}` }),
        element("thead", {}, line("th", header)),
        element("tbody", {}, ...rows.slice(0, most).map((row) => line("td", row))),
      ),
    );
  }
}

Figure.all = [];
Figure.watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const figure = Figure.all.find(({ plot }) => plot === target);
      figure.visible = isIntersecting;
      if (isIntersecting && !figure.drawn) figure.draw();
    }
  },
  { rootMargin: "300px" },
);

document.addEventListener("themechange", () => Figure.all.forEach((figure) => figure.drawn && figure.change()));
window.addEventListener("beforeprint", () => {
  theme.show("light");
  Figure.all.forEach((figure) => figure.draw());
});
window.addEventListener("afterprint", () => theme.settle());
