// The report of scan or diff: kernels to search, filter and sort.
const ORDER = new Intl.Collator("en", { numeric: true });
const compareValues = (a, b) => (typeof a === "string" ? ORDER.compare(a, b) : a - b);
const sizeText = (bytes) => (bytes ? words.size(bytes).replace(/ bytes?/, " B") : "0");
const VERDICTS = ["worse", "mixed", "better", "changed", "renamed", "added", "removed", "same"];
const rankOf = ({ verdict }) => VERDICTS.indexOf(verdict) + 1;
const KINDS = [
  { key: "fails", title: "no launch", is: (kernel) => kernel.launchable === false },
  { key: "spills", title: "with spills", is: (kernel) => kernel.spills > 0 },
  { key: "low", title: "below 50%", is: (kernel) => kernel.occupancy < 0.5 },
  ...VERDICTS.map((key) => ({ key, title: key, is: ({ row }) => row.verdict === key })),
];
const BINS = [...Array.from({ length: 10 }, (_, at) => `${10 * at}% to below ${10 * at + 10}%`), "100%"];
const binOf = ({ row: { share } }) => BINS[Math.floor(10 * share + 1e-9)];
const changeOf = ({ old_occupancy: before, new_occupancy: after }) => after - before;
function differenceOf(value, gain, text) {
  const amount = (value > 0 ? "+" : "−") + text(Math.abs(value)).replace("%", " points");
  return value ? element("small", { class: gain > 0 ? "better" : gain < 0 && "worse" }, amount) : "";
}
// A column with a value before and after, and the difference: red or green if occupancy changed, spills always.
function comparedColumn(key, title, text) {
  const of = (kernel) => kernel[`new_${key}`] - kernel[`old_${key}`];
  const show = (worst) => {
    const [before, after] = ["old_", "new_"].map((side) => rangeText([worst], (kernel) => kernel[side + key], text));
    const gain = (key === "spills" || changeOf(worst)) && -of(worst);
    const values = joined(" → ", before, after) || "–";
    return of(worst) ? [values, " ", differenceOf(of(worst), gain, text)] : values;
  };
  return { key: `change_${key}`, title, text, of, show };
}
// Columns: the value, by default that of the key, and the text of a number or the element to show. Kernels
// of one name share a row: in a scan all are counted, in a comparison the one shown.
const COLUMNS = [
  { key: "name", title: "Kernel",
    show: (kernel) => element("a", { href: linkTo(kernel), title: kernel.source, draggable: "false" },
      kernel.name.split(/(?<=<)(?=[^ ,]{12})|(?<=\w{16}::|\/)/).flatMap((part) => [part, element("wbr")])) },
  { key: "verdict", title: "Verdict", isLinked: true, of: ({ row }) => rankOf(row),
    show: ({ row: { verdict } }) => element("span", { class: `chip ${verdict}` }, verdict) },
  { key: "occupancy", title: "Occupancy", text: words.percent, isLinked: true },
  { key: "old_occupancy", title: "Occupancy before", text: words.percent },
  { key: "new_occupancy", title: "After", text: words.percent },
  { key: "change_occupancy", title: "Difference", text: words.percent, of: changeOf,
    show: (kernel) => differenceOf(changeOf(kernel), changeOf(kernel), words.percent) },
  { key: "limiters", title: "Limited by", of: limitersOf, look: (_, shown) => colourOf(shown) },
  { key: "threads", title: "Threads", text: grouped, mark: (all) => all.some((each) => each.threads_assumed) && "*" },
  { key: "regs", title: "Regs", text: grouped },
  { key: "smem", title: "Shared", text: sizeText },
  { key: "spills", title: "Spills st\u00a0+\u00a0ld", text: sizeText,
    mark: (counted) => counted.some((kernel) => kernel.spills > 0 && kernel.spills_from === "code") && "~",
    look: (counted) => counted.some(({ spills }) => spills > 0) && "worse" },
  { key: "stack_bytes", title: "Stack", text: sizeText },
  { key: "duration_us", title: "Time", text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "time_share", title: "Share", text: words.percent },
  { key: "waves", title: "Waves", text: words.decimal },
  comparedColumn("regs", "Regs", grouped),
  comparedColumn("smem", "Shared", sizeText),
  comparedColumn("spills", "Spills st\u00a0+\u00a0ld", sizeText),
  { key: "causes", title: "Changes",
    of: ({ causes, other_changes: others }) => joined(", ", causes, others)?.replaceAll(" -> ", "\u00a0→ ") },
  { key: "next_step", title: "Next step", of: ({ next_step: step, fix = step }) => fix?.replace(": ", " with "),
    mark: (counted, shown) => counted.some((kernel) => kernel.next_step !== shown.next_step) && ` (${shown.arch})` },
];
class Report {
  constructor({ count, columns }) {
    this.kernels = Array.from({ length: count }, (_, row) => {
      const kernel = {}; // unknown values are undefined
      for (const { key, values, at } of columns) kernel[key] = values[at[row] ?? 0] ?? undefined;
      const spilled = (side) => kernel[`${side}spill_store_bytes`] + (kernel[`${side}spill_load_bytes`] ?? 0);
      for (const side of ["", "old_", "new_"]) kernel[`${side}spills`] = spilled(side);
      for (const key of ["threads", "threads_assumed"]) kernel[key] ??= kernel[`new_${key}`] ?? kernel[`old_${key}`];
      kernel.row = kernel; // that counts, in a comparison the worst of the name
      kernel.share = kernel.occupancy ?? kernel.new_occupancy;
      if (kernel.line) kernel.source = `${kernel.file}:${kernel.line}, ${kernel.source}`;
      kernel.text = [kernel.name, kernel.arch, kernel.cc, kernel.source].join("|").toLowerCase().replace(/\s/g, "");
      return kernel;
    });
    // Kernels of one name in several files get the file in their name.
    for (const group of Map.groupBy(this.kernels, ({ name }) => name).values()) {
      const isSplit = countOf(group, ({ arch, source }) => `${arch} ${source}`) > countOf(group, ({ arch }) => arch);
      if (isSplit) group.forEach((kernel) => (kernel.name += ` (${kernel.source})`));
    }
    this.leaveOut(this.kernels);
    this.count = countOf(this.kernels);
    this.state = { q: "", kind: "", arch: "", bin: "", sort: "", down: "" };
    this.archs = archsOf(this.kernels);
    this.isDiff = this.kernels.some(({ verdict }) => verdict);
    this.kinds = KINDS.filter(({ is }) => this.kernels.some(is));
    this.columns = COLUMNS.map((column) => ({ of: (kernel) => kernel[column.key], ...column }))
      .filter(({ of }) => this.kernels.some(of));
    const isSorted = this.kernels.every(({ share }, at) => !at || !(this.kernels[at - 1].share > share));
    this.given = this.isDiff ? "verdict" : isSorted ? "occupancy" : "";
    [this.search, this.arch, this.rest, this.box] = ["q", "arch", "rest", "rows"].map(byId);
    this.arch.hidden = this.archs.length < 2;
    fill(byId("archs"), this.archs.map((arch) => element("option", {}, arch)));
    for (const input of [this.search, this.arch]) input.oninput = () => this.set({ [input.id]: input.value });
    this.search.onkeydown = ({ key }) =>
      this.box.querySelector("tbody a")?.[{ Enter: "click", ArrowDown: "focus" }[key]]?.();
    // A name that is being selected is not opened.
    this.box.onclick = ({ target }) => getSelection().isCollapsed || !getSelection().containsNode(target, true);
    document.querySelector("header").prepend(byId("back"));
  }
  // A kernel of both builds is not listed for an architecture that one lacks.
  leaveOut(kernels) {
    const archs = new Set(kernels.filter(({ verdict }) => !/added|removed/.test(verdict)).map(({ arch }) => arch));
    const names = new Set(kernels.filter(({ arch }) => archs.has(arch)).map(({ name }) => name));
    const isLeft = ({ arch, name }) => !archs.has(arch) && names.has(name);
    this.kernels = kernels.filter((kernel) => !isLeft(kernel));
    this.left = [...Map.groupBy(kernels.filter(isLeft), ({ verdict }) => verdict)].map(([verdict, all]) =>
      ` ${words.list(archsOf(all))} ${verdict} for ${words.count(countOf(all), "kernel")}.`);
  }
  // Filters and order are kept in the address.
  set(changes) {
    Object.assign(this.state, changes);
    this.draw();
    if (this.box.getBoundingClientRect().top < 0) this.box.scrollIntoView();
    history.replaceState(history.state, "", (app.entry = this.fragment()));
  }
  fragment(state = this.state) {
    return `#kernels&${new URLSearchParams(Object.entries(state).filter(([, value]) => value))}`.replace(/&$/, "");
  }
  // Show the list, scrolled as before, or the calculator.
  show(isListed) {
    if (!isListed && app.isListed()) this.opened = [scrollY, location.hash];
    document.body.classList.toggle("listed", isListed);
    if (!isListed) return [scrollTo(0, 0), byId("back").focus()];
    settle(document.querySelector("h1"), (document.title = app.title));
    const given = new URLSearchParams(location.hash.replace(/^#[^&]*/, ""));
    for (const name in this.state) this.state[name] = given.get(name) ?? "";
    [this.search.value, this.arch.value] = [this.state.q, this.state.arch];
    if (byId("back").hash !== this.fragment()) this.draw(); // as left, with all rows that were shown
    [...this.box.querySelectorAll("a")].find(({ hash }) => hash === this.opened?.[1])?.focus();
    scrollTo(0, this.opened?.[0] ?? 0);
  }
  order() { return this.state.sort ? this.state : { sort: this.given, down: "" }; }
  // The kernels that pass all filters, those to count by kind, and those of any bin. Verdicts exclude each other.
  filtered() {
    const { q, kind, arch, bin } = this.state;
    const wanted = q.replace(/_Z\S+/g, (name) => demangled(name).replace(/<.*/, "")).toLowerCase().split(/[\s*]+/);
    const kinds = KINDS.filter(({ key }) => (kind ? kind.split(",").includes(key) : this.isDiff && key !== "same"));
    const isOfKinds = (kernel) => kinds[this.isDiff ? "some" : "every"](({ is }) => is(kernel));
    const isFound = (kernel) => (!arch || kernel.arch === arch) && wanted.every((word) => kernel.text.includes(word));
    const isInBin = (kernel) => !bin || bin.split(",").includes(binOf(kernel));
    const found = this.kernels.filter(isFound);
    if (this.isDiff) for (const { group, worst } of rowsOf(found)) group.forEach((kernel) => (kernel.row = worst));
    const ofBins = found.filter(isOfKinds);
    return { all: ofBins.filter(isInBin), ofKinds: (this.isDiff ? found : ofBins).filter(isInBin), ofBins, kinds };
  }
  // A button that adds a value to a filter, or takes it out.
  toggle(content, filter, value, count, properties) {
    const chosen = this.state[filter].split(",").filter(Boolean);
    const isOn = chosen.includes(value);
    const others = chosen.filter((each) => each !== value);
    return button(content, () => this.set({ [filter]: (isOn ? others : [...chosen, value]).join() }),
      { ...properties, "aria-pressed": `${isOn}`, disabled: !count && !isOn });
  }
  drawBins(kernels) {
    const counts = BINS.map((bin) => countOf(kernels.filter((kernel) => binOf(kernel) === bin)));
    fill(byId("bins"), BINS.map((bin, at) => {
      const height = counts[at] && Math.max(6, (100 * counts[at]) / Math.max(...counts)); // one kernel can be seen
      const svg = drawn("svg", {}, drawn("rect", { class: "registers", width: "100%", height: `${height}%` }));
      return this.toggle(svg, "bin", bin, counts[at], { title: `${bin}: ${words.count(counts[at], "kernel")}` });
    }));
  }
  sorted(kernels) {
    const { sort, down } = this.order();
    const { of = () => 0 } = this.columns.find(({ key }) => key === sort) ?? {};
    const rows = rowsOf(kernels).map(({ group, worst }) => {
      group.sort((one, other) => ORDER.compare(one.arch ?? "", other.arch ?? ""));
      const value = rangeOf(group, of)[down ? 1 : 0];
      const shown = (this.isDiff && [worst, ...group].find((kernel) => of(kernel) === value)) || worst;
      return { group, shown, counted: this.isDiff ? [shown] : group, value };
    }); // unknown values come last
    return rows.sort(({ value: a }, { value: b }) =>
      (a === undefined) - (b === undefined) || (down ? -1 : 1) * compareValues(a, b));
  }
  draw(shown = 250) {
    this.rest.onclick = () => this.draw(4 * shown);
    const found = this.filtered();
    const rows = this.sorted(found.all);
    fill(byId("kinds"), this.kinds.map(({ key, title, is }) => {
      const count = countOf(found.ofKinds.filter(is));
      return this.toggle(`${grouped(count)} ${title}`, "kind", key, count, { class: `chip ${key}` });
    }));
    this.drawBins(found.ofBins);
    fill(this.box.querySelector("thead"), [element("tr", {}, this.columns.map((column) => this.title(column)))]);
    fill(this.box.querySelector("tbody"), rows.slice(0, shown).map((row) =>
      element("tr", {}, this.columns.map((column) => cellOf(column, row, this.archs.length > 1)))));
    this.rest.hidden = rows.length <= shown;
    const { q, kind, arch, bin, sort, down } = this.state;
    const kinds = kind && found.kinds.map(({ title }) => title).join(this.isDiff ? " or " : " and ");
    const chosen = [kinds, q, arch, bin.replaceAll(",", " or ")].filter(Boolean).join(", ");
    const part = rows.length < this.count && `${rows.length ? grouped(rows.length) : "None"} of `;
    const facts = [`${part || ""}${words.count(this.count, "kernel")}${this.isDiff && !kind ? " changed" : ""}`,
      rows.length > shown && `the first ${grouped(shown)} are shown`, chosen || (!this.archs[1] && this.archs[0])];
    settle(byId("count"), `${facts.filter(Boolean).join(", ")}.${this.left.join("")}`);
    byId("bold").hidden = !this.isDiff || rows.every(({ group }) => group.length === 1);
    byId("clear").hidden = !chosen;
    byId("clear").href = this.fragment({ sort, down });
    byId("back").href = this.fragment();
  }
  title({ key, title, text }) {
    const { sort, down } = this.order();
    const next = { sort: key, down: (sort === key ? down : !text || key.endsWith("occupancy")) ? "" : "1" };
    const order = sort === key && (down ? "descending" : "ascending");
    return element("th", { scope: "col", class: `${key} ${text ? "num" : ""}`, "aria-sort": order },
      button([title, order && (down ? "\u00a0▼" : "\u00a0▲")], () => this.set(next), { class: "link" }));
  }
}
function cellOf({ key, title, of, text, show, mark, look, isLinked }, { group, shown, counted }, isMixed) {
  const content = show ? show(shown) : text ? rangeText(counted, of, text) || "–" : of(shown);
  const looks = [key, text && "num", look?.(counted, shown), /^[0–]$/.test(content) && "zero"].filter(Boolean);
  return element(key === "name" ? "th" : "td", { class: looks.join(" "), "data-title": `${title} ` }, content,
    content && mark?.(counted, shown), isLinked && (isMixed || group.length > 1) && [" ", archLinks(group, shown)]);
}
const joined = (between, one, other) => (one && other && one !== other ? one + between + other : one || other);
const archsOf = (kernels) => [...new Set(kernels.map(({ arch }) => arch).filter(Boolean))].sort(ORDER.compare);
const countOf = (kernels, of = ({ name }) => name) => new Set(kernels.map(of)).size;
// The kernels of each name, and the worst of them.
const rowsOf = (kernels) => [...Map.groupBy(kernels, ({ name }) => name).values()].map((group) =>
  ({ group, worst: group.toSorted(bySeverity)[0] }));
const bySeverity = (a, b) => rankOf(a) - rankOf(b) || changeOf(a) - changeOf(b)
  || (b.spills > 0) - (a.spills > 0) || (a.share ?? 2) - (b.share ?? 2);
const rangeText = (group, of, text) =>
  joined(" to ", ...rangeOf(group, of).map((value) => (value === undefined ? "" : text(value))))
    .replace(/( \D+) to (.*\1)$/, " to $2").replace(/ (?!to)/g, "\u00a0"); // 16 to 48 B, broken before "to"
function rangeOf(group, of) { // [least, most] of the known values
  const values = group.map(of).filter((value) => value || value === 0).sort(compareValues);
  return [values[0], values[values.length - 1]];
}
const colourOf = ({ launchable, limiters }) => (launchable === false ? "fails" : limiters?.[0] ?? "warps");
// Links to the kernels of a row, by architecture, and in a scan bars of occupancy.
function archLinks(group, shown) {
  return element("span", { class: "archs" }, group.map((kernel) => {
    const { verdict, arch = "", share, spills, source } = kernel;
    const text = share >= 0 && words.percent(share);
    const title = [arch, verdict, text, limitersOf(kernel), spills > 0 && "spills", source].filter(Boolean).join(", ");
    const look = verdict ? `${verdict} ${kernel === shown ? "shown" : ""}` : spills > 0 && "worse";
    const link = { class: look, href: linkTo(kernel), title, "aria-label": title, tabindex: "-1", draggable: "false" };
    return element("a", link, arch.slice(3), !verdict && bar(share ?? 0, colourOf(kernel)));
  }));
}
// Link to the calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel) {
  const [now, before] = (kernel.verdict ? ["new_", "old_"] : [""])
    .map((side) => ({ ...fieldsIn(kernel, side), gpu: ccOf(kernel[`${side}cc`] ?? kernel.arch),
      kernel: kernel[`${side}name`] || kernel.name }))
    .filter(({ regs }) => regs || !kernel.verdict);
  return now?.threads && limitsOf(now.gpu) ? toFragment(now, before, DEFAULT_PINS.split(",")) : null;
}
