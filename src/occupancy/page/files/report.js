// The report of scan or diff: kernels to search, filter and sort, with links to the calculator.
const ORDER = new Intl.Collator("en", { numeric: true }); // creating one takes longer than comparing
const compareValues = (a, b) => (typeof a === "string" ? ORDER.compare(a, b) : a - b);
const sizeText = (bytes) => (bytes ? words.size(bytes).replace(/ bytes?/, " B") : "0");
const archIfDiffers = (kernel, group, of) => group.some((other) => of(other) !== of(kernel)) && ` (${kernel.arch})`;
// What to change: 100% with 32 regs. A kernel that spills needs more registers, not fewer.
const adviceOf = ({ spills, regs, next_step: step, fix = step }) =>
  (spills > 0 ? regs < 255 && "spills: allow more registers" : fix?.replace(": ", " with "));
const VERDICTS = ["worse", "mixed", "changed", "better", "added", "removed", "same"];
const BINS = [...Array.from({ length: 10 }, (_, at) => `${10 * at}% to below ${10 * at + 10}%`), "100%"];
const KINDS = [
  { key: "fails", title: "no launch", is: (kernel) => kernel.launchable === false },
  { key: "spills", title: "with spills", is: (kernel) => kernel.spills > 0 },
  { key: "low", title: "below 50%", is: (kernel) => kernel.occupancy < 0.5 },
  ...VERDICTS.map((key) => ({ key, title: key, is: (kernel) => kernel.verdict === key })),
];
// A column with a value before and after, and the difference. signOf: 1 if more is better, -1 if more is worse, else 0.
function comparedColumn(key, title, text, signOf) {
  const of = (kernel) => kernel[`new_${key}`] - kernel[`old_${key}`];
  const signed = (value) => value !== 0 && (value > 0 ? "+" : "−") + text(Math.abs(value)).replace("%", " points");
  const mark = (kernel) => key === "occupancy" && (kernel.new_threads_assumed ?? kernel.old_threads_assumed) && "*";
  const show = (worst, group) => {
    const [before, after] = ["old_", "new_"].map((side) => rangeText(group, (kernel) => kernel[side + key], text));
    const look = { "-1": "worse", 1: "better" }[Math.sign(signOf(worst) * of(worst))];
    const change = element("small", { class: look }, rangeText(group, of, signed));
    return [joined(" → ", before, after) || "–", mark(worst), " ", change];
  };
  return { key: `change_${key}`, title, text, of, show, isUsed: (row) => key === "occupancy" ? row.verdict : of(row) };
}
const costs = (kernel) => (kernel.old_occupancy === kernel.new_occupancy ? 0 : -1); // only if occupancy changed
// Columns: the value of a kernel, by default that of the key, and the text of a number or the element to show. Kernels
// of one name share a row, sorted by the worst and shown as a range. Columns without values are hidden.
const COLUMNS = [
  { key: "name", title: "Kernel", show: nameOf },
  { key: "verdict", title: "Verdict", of: ({ verdict }) => VERDICTS.indexOf(verdict) + 1,
    show: ({ verdict }) => element("span", { class: `chip ${verdict}` }, verdict) },
  { key: "occupancy", title: "Occupancy", text: words.percent },
  { key: "limiters", title: "Limited by", of: limitersOf,
    show: (kernel) => limitersOf(kernel) && element("span", { class: colourOf(kernel) }, limitersOf(kernel)) },
  { key: "threads", title: "Threads", text: grouped, mark: (kernel) => kernel.threads_assumed && "*" },
  { key: "regs", title: "Regs", text: grouped },
  { key: "smem", title: "Shared", text: sizeText },
  { key: "spills", title: "Spills st\u00a0+\u00a0ld", text: sizeText,
    mark: (kernel) => kernel.spills > 0 && kernel.spills_from === "code" && "~",
    look: (group) => group.some(({ spills }) => spills > 0) && "worse" },
  { key: "stack_bytes", title: "Stack", text: sizeText },
  { key: "duration_us", title: "Time", text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "time_share", title: "Share", text: words.percent },
  { key: "waves", title: "Waves", text: (waves) => waves.toFixed(2) },
  comparedColumn("occupancy", "Occupancy", words.percent, () => 1),
  comparedColumn("regs", "Regs", grouped, costs),
  comparedColumn("smem", "Shared", sizeText, costs),
  comparedColumn("spills", "Spills st\u00a0+\u00a0ld", sizeText, () => -1),
  { key: "causes", title: "Changes", mark: archIfDiffers },
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
      kernel.bin = BINS[Math.min(10, Math.floor(10 * kernel.share + 1e-9))];
      kernel.text = [kernel.name, kernel.arch, kernel.cc, kernel.source].join(" ").toLowerCase();
      return kernel;
    });
    this.state = { q: "", kind: "", arch: "", bin: "", sort: "", down: "" };
    this.archs = [...new Set(this.kernels.map(({ arch }) => arch).filter(Boolean))].sort(ORDER.compare);
    this.isDiff = this.kernels.some(({ verdict }) => verdict);
    this.kinds = KINDS.filter(({ is }) => this.kernels.some(is));
    this.columns = COLUMNS.map((column) => ({ of: (kernel) => kernel[column.key], ...column }))
      .filter(({ of, isUsed = of }) => this.kernels.some(isUsed));
    const isSorted = this.kernels.every(({ share }, at) => !at || !(this.kernels[at - 1].share > share));
    this.given = this.isDiff ? "verdict" : isSorted && "occupancy";
    [this.search, this.arch, this.rest, this.box] = ["q", "arch", "rest", "rows"].map(byId);
    this.arch.hidden = this.archs.length < 2;
    fill(byId("archs"), this.archs.map((arch) => element("option", {}, arch)));
    for (const input of [this.search, this.arch]) input.oninput = () => this.set({ [input.id]: input.value });
    this.search.onkeydown = ({ key }) => { if (key === "Enter") this.box.querySelector("tbody a")?.click(); };
    const isSelected = (node) => !getSelection().isCollapsed && getSelection().containsNode(node, true);
    this.box.onclick = ({ target }) => !isSelected(target); // a name that is being selected is not opened
    byId("bins").onkeydown = ({ key, target }) =>
      ({ ArrowLeft: target.previousSibling, ArrowRight: target.nextSibling })[key]?.focus();
    document.querySelector("header").prepend(byId("back"));
    addEventListener("beforeprint", () => this.draw(Infinity));
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
    if (!isListed && app.isListed()) this.left = [scrollY, location.hash];
    document.body.classList.toggle("listed", isListed);
    if (!isListed) return [scrollTo(0, 0), byId("back").focus()];
    document.title = app.title;
    const given = new URLSearchParams(location.hash.replace(/^#[^&]*/, ""));
    for (const name in this.state) this.state[name] = given.get(name) ?? "";
    [this.search.value, this.arch.value] = [this.state.q, this.state.arch];
    this.draw();
    [...this.box.querySelectorAll("a")].find(({ hash }) => hash === this.left?.[1])?.focus();
    scrollTo(0, this.left?.[0] ?? 0);
  }
  // The kernels that pass all filters, and those that pass all others than one. Without a verdict, all that changed.
  filtered() {
    const { q, kind, arch, bin } = this.state;
    const wanted = q.toLowerCase().split(/[\s*]+/);
    const kinds = KINDS.filter(({ key }) => kind.split(",").includes(key));
    const isOfKinds = (kernel) => kinds[this.isDiff ? "some" : "every"](({ is }) => is(kernel)); // any verdict
    const tests = {
      q: ({ text }) => wanted.every((word) => text.includes(word)),
      kind: kinds.length ? isOfKinds : ({ verdict }) => verdict !== "same" || this.kinds.length < 2,
      arch: (kernel) => !arch || kernel.arch === arch,
      bin: (kernel) => !bin || bin.split(",").includes(kernel.bin),
    };
    const passing = (...names) => this.kernels.filter((kernel) => names.every((name) => tests[name](kernel)));
    const ofKinds = passing("q", "arch", "bin");
    return { all: ofKinds.filter(tests.kind), ofKinds, ofBins: passing("q", "arch", "kind") };
  }
  drawFilters({ ofKinds, ofBins }) {
    fill(byId("kinds"), this.kinds.map(({ key, title, is }) =>
      this.filter("kind", key, `${grouped(ofKinds.filter(is).length)} ${title}`, { class: `chip ${key}` })));
    const counts = BINS.map((bin) => ofBins.filter((kernel) => kernel.bin === bin).length);
    const tabbed = Math.max(0, counts.findIndex(Boolean)); // arrow keys lead to the others
    fill(byId("bins"), counts.map((count, at) => {
      const share = count && Math.max(6, (100 * count) / Math.max(...counts)); // a single kernel can be seen
      const title = `${BINS[at]}: ${words.count(count, "kernel")}`;
      const part = drawn("rect", { class: "registers", y: `${100 - share}%`, width: "100%", height: `${share}%` });
      return this.filter("bin", BINS[at], drawn("svg", {}, part), { title, tabindex: at === tabbed ? "0" : "-1" });
    }));
  }
  filter(name, value, content, properties) {
    const chosen = this.state[name].split(",").filter(Boolean);
    const isOn = chosen.includes(value);
    const next = isOn ? chosen.filter((each) => each !== value) : [...chosen, value];
    return button(content, () => this.set({ [name]: next.join() }), { "aria-pressed": `${isOn}`, ...properties });
  }
  groups(kernels) {
    const groups = [...Map.groupBy(kernels, ({ name, verdict }) => `${name} ${verdict}`).values()];
    for (const group of groups) group.sort((one, other) => ORDER.compare(one.arch ?? "", other.arch ?? ""));
    const { sort, down } = this.state;
    const { of = () => 0 } = this.columns.find(({ key }) => key === (sort || this.given)) ?? {};
    const keyed = groups.map((group) => [rangeOf(group, of)[down ? 1 : 0], group]); // unknown values come last
    keyed.sort(([a], [b]) => (a === undefined) - (b === undefined) || (down ? -1 : 1) * compareValues(a, b));
    return keyed.map(([, group]) => group);
  }
  draw(shown = 250) {
    this.rest.onclick = () => this.draw(4 * shown);
    const found = this.filtered();
    const groups = this.groups(found.all);
    this.drawFilters(found);
    fill(this.box.querySelector("thead"), [element("tr", {}, this.columns.map((column) => this.title(column)))]);
    fill(this.box.querySelector("tbody"), groups.slice(0, shown).map((group) => {
      const worst = group.reduce((one, other) => ((other.share ?? 2) < (one.share ?? 2) ? other : one));
      return element("tr", {}, this.columns.map((column) => cellOf(column, group, worst)));
    }));
    this.rest.hidden = groups.length <= shown;
    settle(this.rest, `Show more of ${grouped(groups.length)} rows`);
    const chosen = ["q", "kind", "arch", "bin"].map((name) => this.state[name]).filter(Boolean).join(", ");
    const kernels = `${grouped(found.all.length)} of ${words.count(this.kernels.length, "kernel")}`;
    const same = !this.state.kind && found.ofKinds.length - found.all.length;
    const rows = `${kernels} in ${words.count(groups.length, "row")}`;
    settle(byId("count"), `${[rows, same && `${grouped(same)} same hidden`, chosen].filter(Boolean).join(", ")}.`);
    byId("clear").hidden = !chosen;
    byId("back").href = this.fragment();
  }
  title({ key, title, text }) {
    const { sort, down } = this.state.sort ? this.state : { sort: this.given, down: "" };
    const next = { sort: key, down: (sort === key ? down : !text || key.endsWith("occupancy")) ? "" : "1" };
    const order = sort === key && (down ? "descending" : "ascending");
    return element("th", { scope: "col", class: `${key} ${text ? "num" : ""}`, "aria-sort": order },
      button([title, order && (down ? "\u00a0▼" : "\u00a0▲")], () => this.set(next), { class: "link" }));
  }
}
function cellOf({ key, title, of, text, show, mark, look }, group, worst) {
  const shown = show ? show(worst, group) : text ? rangeText(group, of, text) || "–" : of(worst);
  const looks = [key, text && "num", look?.(group), shown === "0" && "zero"].filter(Boolean).join(" ");
  return element(key === "name" ? "th" : "td", { class: looks, "data-title": title }, shown,
    shown && mark?.(worst, group, of), key === (worst.verdict ? "name" : "occupancy") && [" ", archLinks(group)]);
}
// Two texts, with a common unit once: 25 to 50%, 4 → 36 KiB.
function joined(between, one, other) {
  if (!one || !other || one === other) return one || other;
  return `${one}${between}${other}`.replace(/(?<=\d)(\D+)(?=( to | → ).*\d\1$)/, "");
}
const rangeText = (group, of, text) =>
  joined(" to ", ...rangeOf(group, of).map((value) => (value === undefined ? "" : text(value))));
// [least, most] of the known values.
function rangeOf(group, of) {
  const values = group.map(of).filter((value) => value || value === 0).sort(compareValues);
  return [values[0], values[values.length - 1]];
}
function nameOf(kernel) {
  const parts = kernel.name.split(/(?<=\w{16,}<|::)/).flatMap((part) => [part, element("wbr")]);
  return element("a", { href: linkTo(kernel), title: kernel.source, draggable: "false" }, parts);
}
const colourOf = ({ launchable, limiters }) => (launchable === false ? "fails" : limiters?.[0] ?? "warps");
// A link to each kernel of a row, with its architecture and its occupancy as a bar; on paper and phones as a number.
function archLinks(group) {
  return element("span", { class: "archs" }, group.map((kernel) => {
    const [share, arch = ""] = [kernel.share >= 0 && words.percent(kernel.share), kernel.arch];
    const title = [arch, share, limitersOf(kernel)].filter(Boolean).join(", ");
    const properties = { href: linkTo(kernel), title, "aria-label": title, tabindex: "-1", draggable: "false" };
    const [before, after] = [arch.slice(0, 3), share && ` ${share}`].map((text) => element("span", {}, text));
    return element("a", properties, before, arch.slice(3), after, bar(kernel.share ?? 0, colourOf(kernel)));
  }));
}
// Link to the calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel) {
  const gpu = ccOf(kernel.cc ?? kernel.arch);
  if (!limitsOf(gpu)) return null;
  const [now, before] = (kernel.verdict ? ["new_", "old_"] : [""])
    .map((side) => ({ ...fieldsIn(kernel, side), gpu, kernel: kernel.name }))
    .filter(({ regs }) => regs || !kernel.verdict);
  return now?.threads ? toFragment(now, before, DEFAULT_PINS.split(",")) : null;
}
