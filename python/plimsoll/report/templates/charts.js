"use strict";
// Draws the charts of a page in place of their still pictures, as wide as the page and ready for questions. Where
// scripts are off or forbidden, the still pictures and the tables stay.
(() => {
  const address = document.currentScript.dataset.library;
  // Expressions are interpreted: no page allows code that is made while it runs.
  // Whoever hides everything leaves an axis without values, which is nothing to warn of.
  const OPTIONS = {
    logLevel: 1, mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };
  const CONFIG = CHART_CONFIG;
  const WIDEST = 960, PAPER = 340;
  const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const drawn = [];
  let loading;

  // A report holds the library; a page of a server fetches it once there is something to draw.
  function library() {
    if (window.vegaEmbed) return Promise.resolve();
    loading ??= new Promise((done, failed) => {
      const element = document.createElement("script");
      element.src = address;
      element.onload = done;
      element.onerror = failed;
      document.head.append(element);
    });
    return loading;
  }

  function part(place, name) {
    const made = document.createElement("div");
    made.className = name;
    place.append(made);
    return made;
  }

  function widen(view, wide) {
    if (wide > 0 && wide !== view.signal("wide")) view.signal("wide", wide).width(wide).run();
  }

  // The kind of a scale is no parameter of Vega-Lite, so a change of it draws anew. What was set for one kind of axis
  // does not fit the other.
  function scaled(layers, logarithmic) {
    for (const { encoding, layer } of layers) {
      if (encoding?.y?.type === "quantitative") {
        encoding.y.scale = logarithmic ? { type: "log" } : { zero: true };
        if (encoding.y.axis) delete encoding.y.axis.values;
        if (encoding.y.title) encoding.y.title = encoding.y.title.replace(", logarithmic", "") + (logarithmic ? ", logarithmic" : "");
      }
      scaled(layer ?? [], logarithmic);
    }
  }

  class Chart {
    constructor(place) {
      this.place = place;
      this.text = place.querySelector("script").textContent;
      this.controls = part(place, "controls");
      this.live = part(place, "live");
      this.live.setAttribute("role", "img");
      this.live.setAttribute("aria-label", place.dataset.label);
      this.live.tabIndex = 0;
      this.live.addEventListener("keydown", event => this.move(event));
      this.said = place.appendChild(document.createElement("output"));
      this.atFirst = JSON.parse(this.text).params.find(({ name }) => name === "logarithm")?.value;
      if (this.atFirst !== undefined) this.offerLogarithm();
    }

    // What is folded away has no width yet; it gets its own when it is opened.
    get width() {
      return Math.min(this.place.clientWidth || WIDEST, WIDEST);
    }

    offerLogarithm() {
      const [label, name] = [document.createElement("label"), document.createElement("span")];
      this.logarithm = document.createElement("input");
      this.logarithm.type = "checkbox";
      this.logarithm.checked = this.atFirst;
      this.logarithm.addEventListener("change", async () => {
        await this.draw();
        this.logarithm.focus();
      });
      name.textContent = "Logarithmic";
      label.append(name, this.logarithm);
      this.own = label;
    }

    // What a mouse finds by hovering, arrow keys find one after the other; it is said in words.
    move(event) {
      const step = STEPS[event.key];
      if (!step && event.key !== "Escape") return;
      event.preventDefault();
      const marks = step ? this.marks() : [];
      const at = step && (this.at ? nearest(marks, this.at, step) : marks.sort((a, b) => a.x - b.x || b.y - a.y)[0]);
      if (at || !step) this.say(at);
    }

    // Places are those within the chart, which may be moved under the window.
    marks() {
      const { left, top } = this.live.getBoundingClientRect();
      const found = [...this.live.querySelectorAll(".role-mark :is(path, line, text)")];
      return found.filter(each => each.__data__?.tooltip).map(each => {
        const box = each.getBoundingClientRect();
        const words = Object.entries(each.__data__.tooltip).map(([name, value]) => `${name}: ${value}`).join(", ");
        return { words, box, x: box.x + box.width / 2 - left, y: box.y + box.height / 2 - top };
      });
    }

    say(at) {
      this.live.querySelector(".at")?.remove();
      this.at = at;
      this.said.textContent = at?.words ?? "";
      if (!at) return;
      const [wide, high] = [Math.max(at.box.width, 10), Math.max(at.box.height, 10)];
      const [left, top] = [at.x - wide / 2, at.y - high / 2];
      Object.assign(part(this.live, "at").style, { left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${high}px` });
    }

    async draw() {
      this.say();
      const spec = { ...JSON.parse(this.text), config: structuredClone(CONFIG) };
      for (const each of spec.params) {
        // What was chosen stays.
        if (this.view && each.bind) each.value = this.view.signal(each.name);
        if (each.name === "wide") each.value = this.width;
        if (each.name === "logarithm") each.value = this.logarithm.checked;
      }
      spec.width = this.width;
      if (this.logarithm && this.logarithm.checked !== this.atFirst) scaled([spec], this.logarithm.checked);
      this.view?.finalize();
      this.controls.replaceChildren();
      this.view = (await window.vegaEmbed(this.live, spec, { ...OPTIONS, bind: this.controls })).view;
      if (this.own) this.controls.append(this.own);
      this.live.querySelector("svg").classList.add("chart");
      this.place.classList.add("drawn");
    }
  }

  // The next one in a direction; what lies aside counts as far away.
  function nearest(marks, { words, x, y }, [across, down]) {
    // A point and the line of its interval say the same.
    const ahead = marks.filter(each => each.words !== words).map(each => {
      const [right, below] = [each.x - x, each.y - y];
      const [along, aside] = [right * across + below * down, Math.abs(right * down + below * across)];
      // Lines may be steep, but above a point is what stands above it.
      return { each, ahead: along > 0.5 && (across !== 0 || aside <= along), far: along + 4 * aside };
    }).filter(({ ahead }) => ahead);
    return ahead.sort((a, b) => a.far - b.far)[0]?.each;
  }

  async function draw(place) {
    await library();
    const chart = new Chart(place);
    await chart.draw();
    drawn.push(chart);
    new ResizeObserver(() => place.clientWidth && widen(chart.view, chart.width)).observe(place);
  }

  // Those in sight first, for a report may hold a hundred; the others while nothing else is to be done.
  const waiting = new Set(document.querySelectorAll(".vega"));
  const watch = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) begin(target);
  }, { rootMargin: "300px" });

  function begin(place) {
    watch.unobserve(place);
    return waiting.delete(place) ? draw(place) : Promise.resolve();
  }

  async function rest() {
    const [place] = waiting;
    if (!place) return;
    await begin(place);
    later(rest);
  }

  const later = window.requestIdleCallback ?? (work => setTimeout(work, 50));
  for (const place of waiting) watch.observe(place);
  if (waiting.size) setTimeout(() => later(rest), 500);
  // Paper is narrower than a screen, and words keep their size.
  addEventListener("beforeprint", () => drawn.forEach(({ view }) => widen(view, PAPER)));
  addEventListener("afterprint", () => drawn.forEach(chart => widen(chart.view, chart.width)));
})();
