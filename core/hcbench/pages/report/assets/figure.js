// Figures made in Python, drawn by plotly when they become visible; see hcbench.pages.report.figures.

// Without plotly's button that sends the figure to a server.
const MODEBAR = [["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]];
const PAPER = 680; // pixels
const CAN_HOVER = window.matchMedia("(hover: hover)").matches;

let loading = null;

// Plotly is text in the page, or a file beside it, until the first figure is drawn.
function loadPlotly() {
  loading ??= readPlotly(document.getElementById("plotly"));
  return loading;
}

async function readPlotly(held) {
  const script = document.createElement("script");
  const { src } = held.dataset;
  if (src) script.src = src;
  else script.textContent = await unpacked(held);
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${src} cannot be read`));
  });
  document.head.append(script);
  if (src) await loaded;
  held.remove();
  return window.Plotly;
}

const isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function merged(base, patch = {}) {
  const made = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    made[key] = isPlain(value) && isPlain(made[key]) ? merged(made[key], value) : value;
  }
  return made;
}

// The same with the colours of the dark theme.
function darkened(value) {
  const swap = (_, item) =>
    typeof item === "string" && item.startsWith("#") ? (DATA.dark[item.slice(0, 7)] ?? item.slice(0, 7)) + item.slice(7) : item;
  return JSON.parse(JSON.stringify(value), swap);
}

class Figure {
  static all = [];

  // `key` is that of the choices in the address, `file` the name of downloads.
  constructor(place, key, spec, file) {
    Object.assign(this, { key, spec, file, drawn: false, visible: false, printing: false, spare: 0 });
    this.plot = element("div", { class: "plot" });
    this.controls = element("div", { class: "controls" });
    for (const [label, options] of Object.entries(spec.choices)) {
      const names = Object.keys(options);
      const chosen = (name) => {
        state.set(`${key}.${label}`, name, names[0]);
        this.change();
      };
      if (names.length > 1) this.controls.append(choice(label, names.map((name) => [name, name]), this.chosen(label), chosen));
    }
    const table = element("div", { hidden: true });
    const shown = button("Data as table", () => this.showTable(table, shown), { "aria-expanded": "false" });
    const image = (format) => button(format.toUpperCase(), () => this.save(format));
    const tools = element("div", { class: "plot-tools" }, image("svg"), image("png"), shown);
    place.append(element("figure", {}, this.controls, this.plot, element("figcaption", { text: spec.caption }), tools, table));
    Figure.all.push(this);
    Figure.watcher.observe(this.plot);
    Figure.resized.observe(this.plot);
  }

  // Keep room on the page, so that nothing moves when it is drawn.
  reserve() {
    this.plot.style.minHeight = `${this.layout().height}px`;
  }

  // The chosen option of a control.
  chosen(label) {
    const names = Object.keys(this.spec.choices[label]);
    const name = state.get(`${this.key}.${label}`);
    return names.includes(name) ? name : names[0];
  }

  patches() {
    return Object.entries(this.spec.choices).map(([label, options]) => options[this.chosen(label)]);
  }

  layout() {
    const width = this.printing ? PAPER : this.plot.clientWidth || PAPER;
    const [, fitting] = this.spec.layouts.findLast(([least]) => least <= width);
    const patched = this.patches().reduce((layout, { layout: patch }) => merged(layout, patch), merged(DATA.base, fitting));
    const spare = this.printing ? 0 : this.spare;
    const room = { height: patched.height - spare, margin: { ...patched.margin, b: patched.margin.b - spare } };
    return { ...patched, ...room, width, dragmode: CAN_HOVER && "zoom" }; // a finger scrolls
  }

  // Whether the legend needs another height than `make_legend` assumed, which is half of the greatest.
  refit({ legend }) {
    const drawn = this.plot.querySelector(".legend .bg")?.getBBox().height;
    const spare = legend?.maxheight / 2 - 14 - drawn;
    if (this.printing || !(Math.abs(spare - this.spare) > 4)) return false;
    this.spare = spare;
    return true;
  }

  change() {
    this.drawn = false;
    if (this.visible || this.printing) this.draw();
  }

  async draw() {
    this.drawn = true;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    try {
      const Plotly = await loadPlotly();
      if (turn !== this.turn) return;
      const layout = this.layout();
      const data = this.patches().reduce((traces, { traces: of }) => traces.map((trace, i) => merged(trace, of?.[i])), this.spec.data);
      const drawn = theme.now() === "dark" ? darkened({ data, layout }) : { data, layout };
      this.reserve();
      const config = { displaylogo: false, modeBarButtons: MODEBAR, displayModeBar: CAN_HOVER && "hover" };
      await Plotly.react(this.plot, drawn.data, drawn.layout, config);
      if (turn === this.turn && this.refit(layout)) return await this.draw();
      this.plot.dataset.drawn = "yes";
    } catch (error) {
      console.error(error);
      this.plot.replaceChildren(element("p", { class: "empty", text: `This figure could not be drawn: ${error.message}` }));
    }
  }

  save(format) {
    const { clientWidth: width, clientHeight: height } = this.plot;
    const scale = format === "png" ? 2 : 1;
    window.Plotly?.downloadImage(this.plot, { format, width, height, scale, filename: this.file });
  }

  showTable(place, shown) {
    place.hidden = !place.hidden;
    shown.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.firstChild) new Table(place, `${this.key}.data`, this.spec.table, { caption: "Data of the figure", file: this.file });
  }

  static print(printing) {
    for (const figure of Figure.all) {
      figure.printing = printing;
      if (figure.plot.isConnected && (printing || figure.drawn)) figure.draw();
    }
  }
}

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
Figure.resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const figure = Figure.all.find(({ plot }) => plot === target);
    if (figure.drawn && !figure.printing && target.clientWidth && target._fullLayout?.width !== target.clientWidth) figure.change();
  }
});
document.addEventListener("themechange", () => Figure.all.forEach((figure) => figure.drawn && figure.change()));
