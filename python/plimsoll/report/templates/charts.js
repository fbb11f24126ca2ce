"use strict";
// Draws the charts of a page in place of their still pictures, as wide as the page and ready for questions. Where
// scripts are off or forbidden, the still pictures and the tables stay.
(() => {
  const address = document.currentScript.dataset.library;
  // Expressions are interpreted: no page allows code that is made while it runs.
  const OPTIONS = {
    mode: "vega-lite", ast: true, logLevel: 1, actions: false, renderer: "svg", defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };
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

  function width(place) {
    return Math.min(place.clientWidth, 960);
  }

  async function draw(place) {
    await library();
    const spec = JSON.parse(place.querySelector("script").textContent);
    spec.width = width(place);
    spec.params.find(each => each.name === "wide").value = spec.width;
    const [controls, live] = [part(place, "controls"), part(place, "live")];
    live.setAttribute("role", "img");
    live.setAttribute("aria-label", place.dataset.label);
    const { view } = await window.vegaEmbed(live, spec, { ...OPTIONS, bind: controls });
    live.querySelector("svg").classList.add("chart");
    place.classList.add("drawn");
    new ResizeObserver(() => {
      const wide = width(place);
      if (wide > 0 && wide !== view.signal("wide")) view.signal("wide", wide).width(wide).runAsync();
    }).observe(place);
  }

  // Those in sight first: a report may hold a hundred.
  const watch = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "600px" });
  for (const place of document.querySelectorAll(".vega")) watch.observe(place);
})();
