// The kernels of a scan: a table to sort and to filter, in which each name leads to the calculator.

const SHOWN = 250;

class Listing {
  constructor(found) {
    Object.assign(this, found); // lead, facts, columns, order, rows, questions, notes
    this.texts = this.rows.map((row) => row.map(textOf).join(" ").toLowerCase());
    const changed = () => {
      this.shown = SHOWN;
      this.draw();
    };
    this.search = created(element("input", { type: "search", placeholder: "words, * for anything", input: changed }));
    this.filters = this.columns.map((column, at) => this.filterOf(column, at, changed)).filter(Boolean);
    this.heads = this.columns.map((column, at) =>
      created(element("th", { scope: "col", class: column.kind === "number" ? "number" : null }, button(column.title, `sort ${at}`, () => this.sort(at), { class: "link" }))),
    );
    this.body = created(element("tbody"));
    this.count = created(element("p", { class: "note", role: "status" }));
    this.more = created(button("", "more", () => {
      this.shown += 4 * SHOWN;
      this.draw();
    }));
    const [head, ...facts] = this.facts.map((row) => row.map((cell, at) => (at && at < row.length - 1 ? numeric(cell) : cell)));
    const scrolled = (label, content) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, content);
    this.box = created(scrolled("Kernels", element("table", { class: "list" }, element("caption", { class: "unseen" }, "Kernels"), element("thead", {}, element("tr", {}, this.heads)), this.body)));
    this.box.style.setProperty("--name", `${8 * Math.max(...this.rows.map(([name]) => name.length), 8)}px`);
    this.node = created(element(
      "main",
      { id: "kernels" },
      this.lead.map((text) => element("p", {}, text)),
      element(
        "div",
        { class: "basis" },
        head && scrolled("By architecture", table("By architecture", head, facts, { class: "facts" })),
        this.notes.length > 0 && element("details", { open: true }, element("summary", {}, "What the numbers rest on"), this.notes.map((text) => note(text))),
      ),
      element("form", { role: "search", class: "filters", autocomplete: "off", submit: (event) => event.preventDefault() }, field("Search", this.search), this.filters.map(({ node }) => node)),
      this.count,
      this.box,
      this.more,
    ));
    document.querySelector("header").append(created(element("a", { href: "#kernels", class: "back" }, `← All ${words.count(this.rows.length, "kernel")}`)));
    document.querySelector("header").after(this.node);
    window.addEventListener("resize", () => this.fit());
    this.mark();
    changed();
  }

  // What chooses rows by a column: the control with its label, and the rows that it wants; null where there is
  // nothing to choose.
  filterOf({ title, kind, is_choice, only }, at, changed) {
    if (kind === "share") {
      const control = created(element("input", { type: "number", min: "0", max: "100", placeholder: "such as 50", input: changed }));
      const isBelow = ([share]) => share !== null && 100 * share < Number(control.value);
      return { node: field(`${title} below %`, control), isWanted: (row) => control.value === "" || isBelow(row[at]) };
    }
    if (only) {
      const control = created(element("input", { type: "checkbox", input: changed }));
      return { node: element("label", { class: "box" }, control, only), isWanted: (row) => !control.checked || row[at][0] > 0 };
    }
    const values = is_choice ? [...new Set(this.rows.map((row) => textOf(row[at])))].sort(inOrder) : [];
    if (values.length < 2 || values.length > 200) return null;
    const options = values.map((value) => element("option", { value: `=${value}` }, value || "none"));
    const control = created(element("select", { input: changed }, element("option", { value: "" }, "all"), options));
    return { node: field(title, control), isWanted: (row) => ["", `=${textOf(row[at])}`].includes(control.value) };
  }

  // The list in place of the calculator, or the other way round; where one was is kept.
  show(isListed) {
    const { classList } = document.body;
    if (!isListed && classList.contains("listed")) this.left = { at: scrollY, inBox: this.box.scrollTop, key: document.activeElement?.dataset.key };
    classList.toggle("listed", isListed);
    this.fit();
    if (!isListed) scrollTo(0, 0);
    else if (this.left) {
      scrollTo(0, this.left.at);
      this.box.scrollTop = this.left.inBox;
      [...this.body.querySelectorAll("a")].find((each) => each.dataset.key === this.left.key)?.focus({ preventScroll: true });
    }
  }

  sort(column) {
    const isDown = this.order?.column === column ? !this.order.is_down : this.columns[column].kind === "number";
    this.order = { column, is_down: isDown };
    this.mark();
    this.draw();
  }

  // The arrow of the column that the rows are sorted by.
  mark() {
    const { column, is_down: isDown } = this.order ?? {};
    this.heads.forEach((head, at) => (at === column ? head.setAttribute("aria-sort", isDown ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
  }

  // The numbers of the rows that are wanted, in order.
  chosen() {
    const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean).map(partsOf);
    const isWanted = (row, at) => wanted.every((parts) => holds(this.texts[at], parts)) && this.filters.every((each) => each.isWanted(row));
    const found = this.rows.map((row, at) => (isWanted(row, at) ? at : -1)).filter((at) => at >= 0);
    if (!this.order) return found;
    const { column } = this.order;
    const sign = this.order.is_down ? -1 : 1;
    return found.sort((one, other) => {
      const [a, b] = [this.rows[one][column], this.rows[other][column]];
      if (!Array.isArray(a)) return sign * inOrder(a, b) || one - other;
      if (a[0] === null || b[0] === null) return (a[0] === null) - (b[0] === null) || one - other; // what is not known comes last
      return sign * (a[0] - b[0]) || one - other;
    });
  }

  draw() {
    const found = this.chosen();
    fill(this.body, found.slice(0, this.shown).map((at) => this.line(at)));
    const all = words.count(this.rows.length, "row");
    settle(this.count, found.length === this.rows.length ? `${all}.` : `${grouped(found.length)} of ${all}.`);
    const left = found.length - this.shown;
    this.more.hidden = left <= 0;
    this.fit();
    settle(this.more, `Show ${grouped(Math.min(left, 4 * SHOWN))} more of ${grouped(left)}`);
  }

  // A table with more columns than there is room for scrolls in a box, so that its scroll bar is in sight.
  fit() {
    const { classList } = this.box;
    classList.remove("wide");
    classList.toggle("wide", this.box.scrollWidth > this.box.clientWidth);
  }

  line(at) {
    const [name, ...cells] = this.rows[at];
    const question = this.questions[at];
    const link = `#${question}&${new URLSearchParams({ kernel: name.slice(0, 200) })}`;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, question === null ? inPieces(name) : element("a", { href: link, "data-key": `kernel ${at}` }, inPieces(name))),
      cells.map((cell, index) => {
        const { kind } = this.columns[index + 1];
        if (kind !== "share") return element("td", { class: kind }, kind === "number" ? textOf(cell).replace(/(?<!\/) /g, "\u00a0") : inPieces(cell));
        return element("td", { class: "use" }, element("span", { class: "number" }, cell[1]), cell[0] === null ? null : bar(cell[0], true));
      }),
    );
  }
}

// A name, or a path, that takes a new line where one of its parts begins.
const inPieces = (name) => name.split(/(?<=[<(,/]|::)(?=\w)/).map((part, at) => [at > 0 && element("wbr"), part]);

const field = (label, control) => element("label", {}, label, control);

const textOf = (cell) => (Array.isArray(cell) ? cell[1] : cell);

const inOrder = (a, b) => a.localeCompare(b, "en", { numeric: true });

const partsOf = (word) => word.split("*").filter(Boolean);

// Whether a text holds the parts one after the other.
function holds(text, parts) {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
