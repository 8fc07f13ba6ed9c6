// The report of scan or diff: kernels to search, filter and sort, with links to the calculator.
const ORDER = new Intl.Collator("en", { numeric: true }); // creating one takes longer than comparing
const compareValues = (a, b) => (typeof a === "string" ? ORDER.compare(a, b) : a - b);
const sizeText = (bytes) => (bytes ? words.size(bytes).replace(/ bytes?/, " B") : "0");
const archIfDiffers = (kernel, group, of) => group.some((other) => of(other) !== of(kernel)) && ` (${kernel.arch})`;
// What to change: 100% with 32 regs. A kernel that spills needs more registers, not fewer.
const adviceOf = ({ spills, regs, next_step: step, fix = step }) =>
  (spills > 0 ? regs < 255 && "spills: allow more registers" : fix?.replace(": ", " with "));
const VERDICTS = ["worse", "mixed", "better", "changed", "added", "removed", "same"];
const rankOf = ({ verdict }) => VERDICTS.indexOf(verdict) + 1;
const KINDS = [
  { key: "fails", title: "no launch", is: (kernel) => kernel.launchable === false },
  { key: "spills", title: "with spills", is: (kernel) => kernel.spills > 0 },
  { key: "low", title: "below 50%", is: (kernel) => kernel.occupancy < 0.5 },
  ...VERDICTS.map((key) => ({ key, title: key, is: (kernel) => kernel.verdict === key })),
];
const BINS = [...Array.from({ length: 10 }, (_, at) => `${10 * at}% to below ${10 * at + 10}%`), "100%"];
const binOf = ({ share }) => BINS[Math.floor(10 * share + 1e-9)];
// A column with a value before and after, and the difference. signOf: 1 if more is better, -1 if more is worse, else 0.
function comparedColumn(key, title, text, signOf) {
  const of = (kernel) => kernel[`new_${key}`] - kernel[`old_${key}`];
  const signed = (value) => value !== 0 && (value > 0 ? "+" : "−") + text(Math.abs(value)).replace("%", " points");
  const mark = (kernel) => key === "occupancy" && (kernel.new_threads_assumed ?? kernel.old_threads_assumed) && "*";
  const show = (worst, group) => {
    const [before, after] = ["old_", "new_"].map((side) => rangeText([worst], (kernel) => kernel[side + key], text));
    const look = { "-1": "worse", 1: "better" }[Math.sign(signOf(worst) * of(worst))];
    const arch = key === "occupancy" && archIfDiffers(worst, group, sharesOf);
    return [joined(" → ", before, after) || "–", mark(worst), " ",
      element("small", { class: look }, rangeText([worst], of, signed), arch)];
  };
  return { key: `change_${key}`, title, text, of, show, isUsed: (row) => key === "occupancy" ? row.verdict : of(row) };
}
const sharesOf = (kernel) => [kernel.old_occupancy, kernel.new_occupancy].join();
const costs = (kernel) => (kernel.old_occupancy === kernel.new_occupancy ? 0 : -1); // only if occupancy changed
// Columns: the value of a kernel, by default that of the key, and the text of a number or the element to show. Kernels
// of one name share a row: in a scan a range, in a comparison the worst one. Columns without values are hidden.
const COLUMNS = [
  { key: "name", title: "Kernel", show: (kernel) =>
    element("a", { href: linkTo(kernel), title: kernel.source, draggable: "false" }, kernel.name) },
  { key: "verdict", title: "Verdict", isLinked: true, of: rankOf,
    show: ({ verdict, arch }) => element("span", { class: `chip ${verdict}`, title: `Values of ${arch}` }, verdict) },
  { key: "occupancy", title: "Occupancy", text: words.percent, isLinked: true },
  { key: "limiters", title: "Limited by", of: limitersOf,
    show: (kernel) => limitersOf(kernel) && element("span", { class: colourOf(kernel) }, limitersOf(kernel)) },
  { key: "threads", title: "Threads", text: grouped, mark: (kernel) => kernel.threads_assumed && "*" },
  { key: "regs", title: "Regs", text: grouped },
  { key: "smem", title: "Shared", text: sizeText },
  { key: "spills", title: "Spills st\u00a0+\u00a0ld", text: sizeText,
    mark: (_, group) => group.some((kernel) => kernel.spills > 0 && kernel.spills_from === "code") && "~",
    look: (group) => group.some(({ spills }) => spills > 0) && "worse" },
  { key: "stack_bytes", title: "Stack", text: sizeText },
  { key: "duration_us", title: "Time", text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "time_share", title: "Share", text: words.percent },
  { key: "waves", title: "Waves", text: (waves) => waves.toFixed(2) },
  comparedColumn("occupancy", "Occupancy", words.percent, () => 1),
  comparedColumn("regs", "Regs", grouped, costs),
  comparedColumn("smem", "Shared", sizeText, costs),
  comparedColumn("spills", "Spills st\u00a0+\u00a0ld", sizeText, () => -1),
  { key: "causes", title: "Changes",
    of: ({ causes, other_changes: others }) => joined(", ", causes, others)?.replaceAll(" -> ", "\u00a0→ ") },
  { key: "next_step", title: "Next step", of: adviceOf, mark: archIfDiffers },
];
class Report {
  constructor({ count, columns }) {
    this.kernels = Array.from({ length: count }, (_, row) => {
      const kernel = {}; // unknown values are undefined
      for (const { key, values, at } of columns) kernel[key] = values[at[row] ?? 0] ?? undefined;
      const spilled = (side) => kernel[`${side}spill_store_bytes`] + (kernel[`${side}spill_load_bytes`] ?? 0);
      for (const side of ["", "old_", "new_"]) kernel[`${side}spills`] = spilled(side);
      kernel.share = kernel.occupancy ?? kernel.new_occupancy;
      kernel.text = [kernel.name, kernel.arch, kernel.cc, kernel.source].join("|").toLowerCase().replace(/\s/g, "");
      return kernel;
    });
    this.leaveOut(this.kernels);
    this.count = rowsOf(this.kernels);
    this.state = { q: "", kind: "", arch: "", bin: "", sort: "", down: "" };
    this.archs = archsOf(this.kernels);
    this.isDiff = this.kernels.some(({ verdict }) => verdict);
    this.kinds = KINDS.filter(({ is }) => this.kernels.some(is));
    this.columns = COLUMNS.map((column) => ({ of: (kernel) => kernel[column.key], ...column }))
      .filter(({ of, isUsed = of }) => this.kernels.some(isUsed));
    const isSorted = this.kernels.every(({ share }, at) => !at || !(this.kernels[at - 1].share > share));
    this.given = this.isDiff ? "verdict" : isSorted ? "occupancy" : "";
    [this.search, this.arch, this.sort, this.rest, this.box] = ["q", "arch", "sort", "rest", "rows"].map(byId);
    this.arch.hidden = this.archs.length < 2;
    fill(byId("archs"), this.archs.map((arch) => element("option", {}, arch)));
    for (const input of [this.search, this.arch]) input.oninput = () => this.set({ [input.id]: input.value });
    this.sort.oninput = () => this.box.querySelector(`thead .${this.sort.value} button`).click();
    this.search.onkeydown = ({ key }) =>
      this.box.querySelector("tbody a")?.[{ Enter: "click", ArrowDown: "focus" }[key]]?.();
    const isSelected = (node) => !getSelection().isCollapsed && getSelection().containsNode(node, true);
    this.box.onclick = ({ target }) => !isSelected(target); // a name that is being selected is not opened
    document.querySelector("header").prepend(byId("back"));
  }
  // A kernel of both builds is not listed for an architecture that one of them lacks.
  leaveOut(kernels) {
    const archs = new Set(kernels.filter(({ verdict }) => !/added|removed/.test(verdict)).map(({ arch }) => arch));
    const names = new Set(kernels.filter(({ arch }) => archs.has(arch)).map(({ name }) => name));
    const isLeft = ({ arch, name }) => !archs.has(arch) && names.has(name);
    this.kernels = kernels.filter((kernel) => !isLeft(kernel));
    this.left = [...Map.groupBy(kernels.filter(isLeft), ({ verdict }) => verdict)].map(([verdict, all]) =>
      ` ${words.count(rowsOf(all), "kernel")}: ${words.list(archsOf(all))} ${verdict}.`);
  }
  // Change filters and order, which are kept in the address.
  set(changes) {
    Object.assign(this.state, changes);
    this.draw();
    if (this.box.getBoundingClientRect().top < 0) this.box.scrollIntoView();
    app.entry = this.fragment();
    history.replaceState(history.state, "", app.entry);
  }
  fragment() {
    return `#kernels&${new URLSearchParams(Object.entries(this.state).filter(([, value]) => value))}`.replace(/&$/, "");
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
    this.draw();
    [...this.box.querySelectorAll("a")].find(({ hash }) => hash === this.opened?.[1])?.focus();
    scrollTo(0, this.opened?.[0] ?? 0);
  }
  order() { return this.state.sort ? this.state : { sort: this.given, down: "" }; }
  // The kernels that pass all filters, those to count by kind, and those of any bin. By default those that changed.
  filtered() {
    const { q, kind, arch, bin } = this.state;
    const wanted = q.toLowerCase().split(/[\s*]+/);
    const kinds = KINDS.filter(({ key }) => kind.split(",").includes(key));
    const isOfKinds = (kernel) => kinds[this.isDiff ? "some" : "every"](({ is }) => is(kernel)); // any verdict
    const isFound = (kernel) => (!arch || kernel.arch === arch) && wanted.every((word) => kernel.text.includes(word));
    const isChanged = ({ verdict }) => verdict !== "same";
    const isInBin = (kernel) => !bin || binOf(kernel) === bin;
    const found = this.kernels.filter(isFound);
    const ofBins = found.filter(kinds.length ? isOfKinds : isChanged);
    return { all: ofBins.filter(isInBin), ofKinds: (this.isDiff ? found : ofBins).filter(isInBin), ofBins };
  }
  kindButton({ key, title, is }, kernels) {
    const chosen = this.state.kind.split(",").filter(Boolean);
    const isOn = chosen.includes(key);
    const kind = (isOn ? chosen.filter((each) => each !== key) : [...chosen, key]).join();
    const properties = { class: `chip ${key}`, "aria-pressed": `${isOn}` };
    return button(`${grouped(rowsOf(kernels.filter(is)))} ${title}`, () => this.set({ kind }), properties);
  }
  drawBins(kernels) {
    const counts = BINS.map((bin) => rowsOf(kernels.filter((kernel) => binOf(kernel) === bin)));
    fill(byId("bins"), BINS.map((bin, at) => {
      const height = counts[at] && Math.max(6, (100 * counts[at]) / Math.max(...counts)); // one kernel can be seen
      const part = drawn("rect", { class: "registers", y: `${100 - height}%`, width: "100%", height: `${height}%` });
      const isOn = this.state.bin === bin;
      const facts = { title: `${bin}: ${words.count(counts[at], "kernel")}`, "aria-pressed": `${isOn}` };
      const choose = () => this.set({ bin: isOn ? "" : bin });
      return button(drawn("svg", {}, part), choose, { ...facts, disabled: !counts[at] && !isOn });
    }));
  }
  groups(kernels) {
    const { sort, down } = this.order();
    const { of = () => 0 } = this.columns.find(({ key }) => key === sort) ?? {};
    const groups = [...Map.groupBy(kernels, ({ name }) => name).values()].map((all) => {
      const [worst] = all.toSorted((a, b) => rankOf(a) - rankOf(b) || changeOf(a) - changeOf(b)
        || (a.share ?? 2) - (b.share ?? 2));
      const group = all.sort((one, other) => ORDER.compare(one.arch ?? "", other.arch ?? ""));
      return { group, worst, value: rangeOf(this.isDiff ? [worst] : group, of)[down ? 1 : 0] };
    }); // unknown values come last
    return groups.sort(({ value: a }, { value: b }) =>
      (a === undefined) - (b === undefined) || (down ? -1 : 1) * compareValues(a, b));
  }
  draw(shown = 250) {
    this.rest.onclick = () => this.draw(4 * shown);
    const found = this.filtered();
    const groups = this.groups(found.all);
    fill(byId("kinds"), this.kinds.map((kind) => this.kindButton(kind, found.ofKinds)));
    this.drawBins(found.ofBins);
    fill(this.box.querySelector("thead"), [element("tr", {}, this.columns.map((column) => this.title(column)))]);
    const isMixed = archsOf(found.all).length > 1;
    fill(this.box.querySelector("tbody"), groups.slice(0, shown).map(({ group, worst }) =>
      element("tr", {}, this.columns.map((column) => cellOf(column, group, worst, isMixed || group.length > 1)))));
    this.rest.hidden = groups.length <= shown;
    const { q, kind, arch, bin } = this.state;
    const chosen = [q, arch, bin].filter(Boolean).join(", ");
    const archs = this.archs.length > 1 ? words.count(this.archs.length, "architecture") : this.archs[0];
    const part = groups.length < this.count && `${groups.length ? grouped(groups.length) : "None"} of `;
    const facts = [`${part || ""}${words.count(this.count, "kernel")}${this.isDiff && !kind ? " changed" : ""}`,
      groups.length > shown && `the first ${grouped(shown)} are shown`, chosen || archs];
    settle(byId("count"), `${facts.filter(Boolean).join(", ")}.${this.left.join("")}`);
    byId("clear").hidden = !(chosen || kind);
    const { sort } = this.order();
    const titles = [...this.box.querySelectorAll("thead th")].map(({ textContent }) => textContent.toLowerCase());
    fill(this.sort, [this.columns.map(({ key }, at) => element("option", { value: key }, `By ${titles[at]}`)),
      element("option", { value: sort, disabled: !sort }, sort ? "Reverse" : "…")]); // chooses the same column again
    this.sort.value = sort;
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
function cellOf({ key, title, of, text, show, mark, look, isLinked }, group, worst, hasLinks) {
  const shown = show ? show(worst, group) : text ? rangeText(group, of, text) || "–" : of(worst);
  const looks = [key, text && "num", look?.(group), /^[0–]$/.test(shown) && "zero"].filter(Boolean).join(" ");
  return element(key === "name" ? "th" : "td", { class: looks, "data-title": title }, shown,
    shown && mark?.(worst, group, of), hasLinks && isLinked && [" ", archLinks(group)]);
}
// Two texts, with a common unit once: 25 to 50%, 4 → 36 KiB.
function joined(between, one, other) {
  if (!one || !other || one === other) return one || other;
  return `${one}${between}${other}`.replace(/(?<=\d)(\D+)(?=( to | → ).*\d\1$)/, "");
}
const archsOf = (kernels) => [...new Set(kernels.map(({ arch }) => arch).filter(Boolean))].sort(ORDER.compare);
const rowsOf = (kernels) => new Set(kernels.map(({ name }) => name)).size;
const changeOf = ({ old_occupancy: before, new_occupancy: after }) => after - before || 0;
const rangeText = (group, of, text) =>
  joined(" to ", ...rangeOf(group, of).map((value) => (value === undefined ? "" : text(value))));
// [least, most] of the known values.
function rangeOf(group, of) {
  const values = group.map(of).filter((value) => value || value === 0).sort(compareValues);
  return [values[0], values[values.length - 1]];
}
const colourOf = ({ launchable, limiters }) => (launchable === false ? "fails" : limiters?.[0] ?? "warps");
// A link to each kernel of a row, with its architecture, and in a scan a bar of its occupancy.
function archLinks(group) {
  return element("span", { class: "archs" }, group.map((kernel) => {
    const [share, arch = ""] = [kernel.share >= 0 && words.percent(kernel.share), kernel.arch];
    const title = [arch, kernel.verdict, share, limitersOf(kernel), kernel.source].filter(Boolean).join(", ");
    const link = { class: kernel.verdict, href: linkTo(kernel), tabindex: "-1", draggable: "false" };
    const picture = !kernel.verdict && bar(kernel.share ?? 0, colourOf(kernel));
    return element("a", { ...link, title, "aria-label": title }, arch.slice(3), picture);
  }));
}
// Link to the calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel) {
  const [now, before] = (kernel.verdict ? ["new_", "old_"] : [""])
    .map((side) => ({ ...fieldsIn(kernel, side), gpu: ccOf(kernel[`${side}cc`] ?? kernel.arch), kernel: kernel.name }))
    .filter(({ regs }) => regs || !kernel.verdict);
  return now?.threads && limitsOf(now.gpu) ? toFragment(now, before, DEFAULT_PINS.split(",")) : null;
}
