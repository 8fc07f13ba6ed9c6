// The kernels of a scan: a table to sort and to filter, in which each name leads to the calculator.

const SHOWN = 250;
const NONE = "none";

class Listing {
  constructor(found, filtered) {
    Object.assign(this, found); // lead, facts, columns, order, rows, questions, notes
    this.texts = this.rows.map((row) => row.flatMap((cell) => [textOf(cell), ...architecturesOf(cell)]).join(" ").toLowerCase());
    const changed = () => {
      this.choose();
      filtered();
    };
    this.search = created(element("input", { type: "search", placeholder: "words, * for anything", input: changed }));
    this.filters = this.columns.map((column, at) => this.filterOf(column, at, changed)).filter(Boolean);
    this.controls = [["search", this.search], ...this.filters.map(({ name, control }) => [name, control])];
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
        this.notes.length > 0 && element("details", { open: true }, element("summary", {}, "What the numbers rest on"), this.notes.map((text) => element("p", { class: "note" }, text))),
      ),
      element("form", { role: "search", class: "filters", autocomplete: "off", submit: (event) => event.preventDefault() }, field("Search", this.search), this.filters.map(({ node }) => node)),
      this.count,
      this.box,
      this.more,
    ));
    this.back = created(element("a", { href: "#kernels", class: "back" }, "← All kernels"));
    document.querySelector("header").append(this.back);
    document.querySelector("header").after(this.node);
    window.addEventListener("resize", () => this.fit());
    this.mark();
  }

  // The rows that the filters choose now, from the first.
  choose() {
    this.shown = SHOWN;
    this.unknown = [];
    this.draw();
  }

  // The filters as the address has them.
  fragment() {
    const pairs = this.controls.map(([name, control]) => [name, control.type === "checkbox" ? control.checked && "yes" : control.value]);
    return ["#kernels", new URLSearchParams(pairs.filter(([, value]) => value))].filter(String).join("&");
  }

  // Take the filters of the address; what it has beside them is named.
  take(fragment) {
    const before = this.chosenBy;
    const given = new URLSearchParams(fragment.replace(/^#[^&]*/, ""));
    for (const [name, control] of this.controls) {
      if (control.type === "checkbox") control.checked = given.has(name);
      else control.value = given.get(name) ?? "";
      if (control.value || !given.get(name)) given.delete(name);
    }
    this.chosenBy = this.fragment();
    if (this.chosenBy !== before) this.choose();
    this.unknown = [...given].map((each) => each.join("=").slice(0, 60)).slice(0, 9);
    if (this.unknown.length) this.draw();
  }

  // What chooses rows by a column: its name in the address, the control, that with its label, and the rows that it
  // wants; null where there is nothing to choose.
  filterOf({ title, kind, is_choice, only }, at, changed) {
    if (kind === "share") {
      const control = created(element("input", { type: "number", min: "0", max: "100", placeholder: "such as 50", input: changed }));
      const isBelow = ([share]) => share !== null && 100 * share < Number(control.value);
      return { name: "below", control, node: field(`${title} below %`, control), isWanted: (row) => control.value === "" || isBelow(row[at]) };
    }
    if (only) {
      const control = created(element("input", { type: "checkbox", input: changed }));
      return { name: only.replace(/ .*/, ""), control, node: element("label", { class: "box" }, control, only), isWanted: (row) => !control.checked || row[at][0] > 0 };
    }
    const valuesOf = (cell) => (Array.isArray(cell) ? architecturesOf(cell) : [cell]);
    const values = is_choice ? [...new Set(this.rows.flatMap((row) => valuesOf(row[at])))].sort(inOrder) : [];
    if (values.length < 2 || values.length > 200) return null;
    const options = values.map((value) => element("option", { value: value || NONE }, value || NONE));
    const control = created(element("select", { input: changed }, element("option", { value: "" }, "all"), options));
    const isWanted = (row) => !control.value || valuesOf(row[at]).some((value) => control.value === (value || NONE));
    return { name: title.toLowerCase().replaceAll(" ", "-"), at, control, node: field(title, control), isWanted };
  }

  // The list in place of the calculator, or the other way round; where one was is kept.
  show(isListed) {
    const { classList } = document.body;
    if (!isListed && classList.contains("listed")) this.left = { at: scrollY, inBox: this.box.scrollTop, key: document.activeElement?.dataset.key };
    classList.toggle("listed", isListed);
    if (isListed) this.take(location.hash);
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
    const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean).map(piecesOf);
    const isWanted = (row, at) => wanted.every((parts) => holds(this.texts[at], parts)) && this.filters.every((each) => each.isWanted(row));
    const found = this.rows.map((row, at) => (isWanted(row, at) ? at : -1)).filter((at) => at >= 0);
    if (!this.order) return found;
    const { column } = this.order;
    const sign = this.order.is_down ? -1 : 1;
    return found.sort((one, other) => {
      const [a, b] = [this.rows[one][column], this.rows[other][column]];
      if (this.columns[column].kind === "text" || this.columns[column].kind === "prose") return sign * inOrder(textOf(a), textOf(b)) || one - other;
      if (a[0] === null || b[0] === null) return (a[0] === null) - (b[0] === null) || one - other; // what is not known comes last
      return sign * (a[0] - b[0]) || one - other;
    });
  }

  draw() {
    const found = this.chosen();
    fill(this.body, found.slice(0, this.shown).map((at) => this.line(at)));
    const isShared = this.rows.some((row) => row.some((cell) => architecturesOf(cell).length));
    const all = words.count(this.rows.length, "row") + (isShared ? "; architectures that do not differ share one" : "");
    const unknown = this.unknown.length ? ` The link has unknown parts: ${words.list(this.unknown)}.` : "";
    settle(this.count, `${found.length === this.rows.length ? "" : `${grouped(found.length)} of `}${all}.${unknown}`);
    this.back.href = this.chosenBy = this.fragment();
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

  // Of architectures that share a row, that which is chosen, else the first.
  questionOf(at) {
    const question = this.questions[at];
    if (!Array.isArray(question)) return question;
    const places = this.filters.map((each) => architecturesOf(this.rows[at][each.at]).indexOf(each.control.value));
    return question[Math.max(0, ...places)];
  }

  line(at) {
    const [name, ...cells] = this.rows[at];
    const question = this.questionOf(at);
    const link = `#${question}&${new URLSearchParams({ kernel: name.slice(0, 200) })}`;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, question === null ? inPieces(name) : element("a", { href: link, "data-key": `kernel ${at}` }, inPieces(name))),
      cells.map((cell, index) => {
        const { kind } = this.columns[index + 1];
        if (kind !== "share") return element("td", { class: kind }, kind === "number" ? textOf(cell).replace(/(?<!\/) /g, "\u00a0") : inPieces(textOf(cell)));
        return element("td", { class: "use" }, element("span", { class: "number" }, cell[1]), cell[0] === null ? null : bar(cell[0], "registers"));
      }),
    );
  }
}

// A name, or a path, that takes a new line where one of its parts begins.
const inPieces = (name) => name.split(/(?<=[<(,/]|::)(?=\w)/).map((part, at) => [at > 0 && element("wbr"), part]);

const field = (label, control) => element("label", {}, label, control);

const textOf = (cell) => (Array.isArray(cell) ? cell[1] : cell);

// Of a cell that is one for several.
const architecturesOf = (cell) => (Array.isArray(cell) && Array.isArray(cell[0]) ? cell[0] : []);

const inOrder = (a, b) => a.localeCompare(b, "en", { numeric: true });

const piecesOf = (word) => word.split("*").filter(Boolean);

// Whether a text holds the parts one after the other.
function holds(text, parts) {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
