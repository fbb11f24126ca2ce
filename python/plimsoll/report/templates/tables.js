"use strict";
// Tables that can be sorted, filtered and copied. Where scripts are off or forbidden, they just stand there.
(() => {
  const FEWEST = 6;
  const WORDS = new Intl.Collator(undefined, { numeric: true });
  const FORMULA = /^[=+\-@\t\r]/;
  const NUMBER = /^(-?[\d,]+(?:\.\d+)?)\s*([^\d\s]*)$/;
  const MISSING = "n/a";

  function made(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  const text = cell => cell.textContent.replace(/\s+/g, " ").trim();

  // A column whose cells have several units says the value of each beside it.
  function value(cell) {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return parseFloat(text(cell).replaceAll(",", "").replace(/^[^\d-]+/, ""));
  }

  class Table {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.rows = [...this.body.rows];
      this.heads = [...table.tHead.rows[0].cells];
      this.titles = this.heads.map(text);
      this.sorted = { column: -1, direction: 1 };
      this.captioned = text(table.caption);
      if (this.rows.length > 1) this.heads.forEach((head, column) => this.offerSort(head, column));
      this.offerCopy();
    }

    isNumeric(column) {
      return this.heads[column].classList.contains("n");
    }

    offerSort(head, column) {
      const button = made("button", { type: "button", className: "sort", textContent: this.titles[column] });
      button.addEventListener("click", () => this.sort(column));
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
    }

    // Once upwards, once downwards, and then in the order of the report.
    sort(column) {
      const { column: before, direction } = this.sorted;
      const first = this.isNumeric(column) ? -1 : 1;
      if (before !== column) this.sorted = { column, direction: first };
      else this.sorted = direction === first ? { column, direction: -first } : { column: -1, direction: 1 };
      this.heads.forEach((head, place) => {
        const now = place === this.sorted.column ? this.sorted.direction : 0;
        head.setAttribute("aria-sort", { 0: "none", 1: "ascending", [-1]: "descending" }[now]);
      });
      this.body.append(...this.inOrder());
    }

    inOrder() {
      const { column, direction } = this.sorted;
      if (column < 0) return this.rows;
      const numeric = this.isNumeric(column) || this.rows.some(row => row.cells[column].dataset.v);
      const known = this.rows.map(row => {
        const cell = row.cells[column], words = text(cell);
        return { row, key: numeric ? value(cell) : words, missing: words === MISSING || words === "" };
      });
      known.forEach(each => { each.missing ||= numeric && Number.isNaN(each.key); });
      const compare = numeric ? (a, b) => a.key - b.key : (a, b) => WORDS.compare(a.key, b.key);
      // What is not there is last in both directions.
      known.sort((a, b) => a.missing - b.missing || (a.missing ? 0 : direction * compare(a, b)));
      return known.map(({ row }) => row);
    }

    offerCopy() {
      const button = made("button", { type: "button", className: "copy", textContent: "Copy as CSV" });
      const told = made("span", { className: "copied" });
      told.setAttribute("role", "status");
      button.addEventListener("click", async () => {
        const copied = await copy(this.csv());
        button.focus();
        told.textContent = copied ? "Copied" : "This browser does not allow to copy";
        setTimeout(() => { told.textContent = ""; }, 3000);
      });
      this.table.caption.append(" ", button, " ", told);
    }

    // What is shown, as it is sorted and filtered.
    csv() {
      const shown = [...this.body.rows].filter(row => !row.hidden);
      const columns = this.heads.flatMap((head, place) => head.hidden ? [] : [this.column(place, shown)]);
      const lines = [columns.map(({ title }) => title), ...shown.map((_, line) => columns.map(({ cells }) => cells[line]))];
      return lines.map(line => line.map(field).join(",") + "\r\n").join("");
    }

    // Numbers of one unit are numbers, and their unit stands in the head.
    column(place, rows) {
      const title = this.titles[place], cells = rows.map(row => row.cells[place]), words = cells.map(text);
      const { unit } = this.heads[place].dataset;
      const missing = words.map(word => word === MISSING);
      if (unit) return { title: `${title} (${unit})`, cells: cells.map((cell, i) => missing[i] ? "" : (cell.dataset.v ?? words[i])) };
      const parts = words.map(word => NUMBER.exec(word));
      const units = new Set(parts.flatMap(part => part ? [part[2]] : []));
      if (!this.isNumeric(place) || units.size !== 1 || parts.some((part, i) => !part && !missing[i])) {
        return { title, cells: words.map((word, i) => missing[i] ? "" : word) };
      }
      const [only] = units;
      return { title: only ? `${title} (${only})` : title, cells: parts.map(part => part ? part[1].replaceAll(",", "") : "") };
    }

    // A word that no cell of a row has may be the name of one of its columns, such as a target.
    filter(words) {
      const named = row => [...row.cells].filter((_, column) => !this.isNumeric(column)).map(text);
      this.texts ??= this.rows.map(row => [this.captioned, ...named(row)].join(" ").toLowerCase());
      this.parts ??= this.heads.map((head, place) => "part" in head.dataset ? this.titles[place].toLowerCase() : null);
      const wanted = this.texts.map(line => words.filter(word => !line.includes(word)));
      const fits = (part, rest) => part !== null && rest.every(word => part.includes(word));
      const shown = wanted.map(rest => !rest.length || this.parts.some(part => fits(part, rest)));
      const used = this.parts.map(part => part === null || wanted.some((rest, row) => shown[row] && fits(part, rest)));
      this.rows.forEach((row, place) => { row.hidden = !shown[place]; });
      this.table.classList.toggle("filtered", words.length > 0);
      this.heads.forEach((head, column) => {
        if (head.hidden === !used[column]) return;
        for (const row of [this.table.tHead.rows[0], ...this.rows]) row.cells[column].hidden = !used[column];
      });
      const found = shown.filter(Boolean).length;
      const place = this.table.closest("figure") ?? this.table.closest("details:not(.evidence, .tools)") ?? this.table.closest(".scroll");
      place.hidden = !found;
      return found;
    }
  }

  // A spreadsheet would run what begins like a formula.
  function field(words) {
    const safe = FORMULA.test(words) && !NUMBER.test(words) ? `'${words}` : words;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  async function copy(words) {
    try {
      await navigator.clipboard.writeText(words);
      return true;
    } catch {
      // Pages without encryption have no other way.
      const area = made("textarea", { value: words, className: "aside" });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  const tables = [...document.querySelectorAll("main .scroll > table[data-sorts]")].map(table => new Table(table));
  const filtered = tables.filter(({ table }) => "filters" in table.dataset);

  function offerFilter() {
    const told = made("output", { className: "note" });
    const ofTests = filtered.some(({ heads }) => heads.some(head => /^(Case|Test|Target)\b/.test(head.textContent.trim())));
    const [label, example] = ofTests ? ["Show only tests and targets with ", "such as: randread gp3"] : ["Show only rows with ", ""];
    const box = made("input", { type: "search", placeholder: example, spellcheck: false });
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = filtered.reduce((sum, table) => sum + table.filter(words), 0);
      told.textContent = !words.length ? "" : found ? `${found.toLocaleString("en")} rows in all tables` : "Nothing has all of these words";
    });
    const bar = made("p", { className: "find" }, made("label", {}, label, box), " ", told);
    const contents = document.querySelector("nav[aria-label='Contents']");
    const first = filtered[0].table.closest("section");
    contents ? contents.after(bar) : first.before(bar);
  }

  if (filtered.reduce((sum, { rows }) => sum + rows.length, 0) >= FEWEST) offerFilter();
})();
