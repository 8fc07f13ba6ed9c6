// The report of scan or diff: kernels to search, filter and sort, with links to the calculator.

const ORDER = new Intl.Collator("en", { numeric: true }); // creating one takes longer than comparing
const compareValues = (a, b) => (typeof a === "string" ? ORDER.compare(a, b) : a - b);
const sizeText = (bytes) => (bytes ? words.size(bytes).replace(/ bytes?/, " B") : "0");
const archName = (kernel, group) => group.some(({ arch }) => arch !== kernel.arch) && ` (${kernel.arch})`;

const adviceOf = ({ spills, next_step: step }) => (spills > 0 && /regs/.test(step) ? "" : step); // no more spills
const VERDICTS = ["worse", "mixed", "changed", "better", "added", "removed", "same"];
const BINS = [...Array.from({ length: 10 }, (_, at) => `${10 * at}% to below ${10 * at + 10}%`), "100%"];
const KINDS = [
  { key: "fails", title: "cannot launch", is: (kernel) => kernel.launchable === false },
  { key: "spills", title: "with spills", is: (kernel) => kernel.spills > 0 },
  { key: "low", title: "below 50%", is: (kernel) => kernel.occupancy < 0.5 },
  ...VERDICTS.map((key) => ({ key, title: key, is: (kernel) => kernel.verdict === key })),
];
// Before, after and difference of a value. signOf: 1 if more is better, -1 if more is worse, else 0.
function comparedColumns(key, group, text, signOf) {
  const change = (kernel) => kernel[`new_${key}`] - kernel[`old_${key}`] || undefined;
  const isUsed = (kernel) => kernel.verdict && (key === "occupancy" || change(kernel));
  const mark = (kernel) => key === "occupancy" && (kernel.new_threads_assumed ?? kernel.old_threads_assumed) && "*";
  return [
    { key: `old_${key}`, title: `${group} before`, text, isUsed, mark },
    { key: `new_${key}`, title: `${group} after`, text, isUsed, mark },
    { key: `change_${key}`, title: `${group} Δ`, of: change, none: "", isUsed,
      text: (value) => (value > 0 ? "+" : "−") + text(Math.abs(value)).replace("%", ""),
      look: (kernel) => ({ "-1": "worse", 1: "better" })[Math.sign(signOf(kernel) * change(kernel))] },
  ];
}
const costs = (kernel) => (kernel.old_occupancy === kernel.new_occupancy ? 0 : -1); // only if occupancy changed
// Columns: the value of a kernel, by default that of the key, and the text of a number or the element to show. Kernels
// of one name share a row, sorted by the worst and shown as a range. Columns without values are hidden.
const COLUMNS = [
  { key: "name", title: "Kernel", show: nameOf },
  { key: "verdict", title: "Verdict", of: ({ verdict }) => VERDICTS.indexOf(verdict) + 1,
    show: ({ verdict }) => element("span", { class: `chip ${verdict}` }, verdict) },
  { key: "occupancy", title: "Occupancy", text: words.percent },
  { key: "limiters", title: "Limited by", of: limitersOf },
  { key: "threads", title: "Threads", text: grouped, mark: (kernel) => kernel.threads_assumed && "*" },
  { key: "regs", title: "Regs", text: grouped },
  { key: "smem", title: "Shared", text: sizeText },
  { key: "spills", title: "Spills st\u00a0+\u00a0ld", text: sizeText,
    mark: (kernel) => kernel.spills > 0 && kernel.spills_from === "code" && "~" },
  { key: "stack_bytes", title: "Stack", text: sizeText },
  { key: "duration_us", title: "Time", text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "time_share", title: "Share", text: words.percent },
  { key: "waves", title: "Waves", text: (waves) => waves.toFixed(2) },
  { key: "next_step", title: "Next step", of: adviceOf, mark: archName },
  ...comparedColumns("occupancy", "Occ.", words.percent, () => 1),
  ...comparedColumns("regs", "Regs", grouped, costs),
  ...comparedColumns("smem", "Shared", sizeText, costs),
  ...comparedColumns("spills", "Spills", sizeText, () => -1),
  { key: "causes", title: "Changes", mark: archName },
  { key: "fix", title: "Fix", mark: archName },
];

class Report {
  constructor({ count, columns }) {
    this.kernels = Array.from({ length: count }, (_, row) => {
      const kernel = {}; // unknown values are undefined
      for (const { key, values, at } of columns) kernel[key] = values[at[row] ?? 0] ?? undefined;
      const spilled = (side) => kernel[`${side}spill_store_bytes`] + (kernel[`${side}spill_load_bytes`] ?? 0);
      for (const side of ["", "old_", "new_"]) kernel[`${side}spills`] = spilled(side);
      kernel.share = kernel.occupancy ?? kernel.new_occupancy ?? kernel.old_occupancy;
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
    const isSorted = ({ of }) => this.kernels.every((kernel, at) => !at || !(of(this.kernels[at - 1]) > of(kernel)));
    this.given = this.isDiff ? "verdict" : this.columns.find((each) => each.key === "occupancy" && isSorted(each))?.key;
    [this.search, this.arch, this.rest, this.box] = ["q", "arch", "rest", "rows"].map(byId);
    this.arch.hidden = this.archs.length < 2;
    for (const input of [this.search, this.arch]) input.oninput = () => this.set({ [input.id]: input.value });
    this.rest.onclick = () => this.draw(4 * this.shown);
    document.querySelector("header").append(byId("back"));
    addEventListener("beforeprint", () => this.draw(Infinity));
  }

  // Change filters and order, which are kept in the address.
  set(changes) {
    Object.assign(this.state, changes);
    this.draw();
    this.box.scrollTop = 0;
    if (this.box.getBoundingClientRect().top < 0) this.box.scrollIntoView();
    app.entry = this.fragment();
    history.replaceState(history.state, "", app.entry);
  }
  fragment() {
    const given = Object.entries(this.state).filter(([, value]) => value);
    return given.length ? `#kernels&${new URLSearchParams(given)}` : "#kernels";
  }
  // Show the list, scrolled as before, or the calculator.
  show(isListed) {
    if (!isListed && app.isListed()) this.left = [scrollY, this.box.scrollTop];
    document.body.classList.toggle("listed", isListed);
    if (!isListed) return scrollTo(0, 0);
    document.title = app.title;
    const given = new URLSearchParams(location.hash.replace(/^#[^&]*/, ""));
    for (const name in this.state) this.state[name] = given.get(name) ?? "";
    this.search.value = this.state.q;
    this.draw();
    scrollTo(0, this.left?.[0] ?? 0);
    this.box.scrollTop = this.left?.[1] ?? 0;
  }
  // The kernels that pass all filters, and those that pass all others than one. Without a verdict, all that changed.
  filtered() {
    const { q, kind, arch, bin } = this.state;
    const wanted = q.toLowerCase().split(/\s+/);
    const tests = {
      q: ({ text }) => wanted.every((word) => text.includes(word)),
      kind: KINDS.find(({ key }) => key === kind)?.is ?? (({ verdict }) => verdict !== "same" || this.kinds.length < 2),
      arch: (kernel) => !arch || kernel.arch === arch,
      bin: (kernel) => !bin || kernel.bin === bin,
    };
    const found = { all: [], kind: [], arch: [], bin: [] };
    for (const kernel of this.kernels) {
      const failed = Object.keys(tests).filter((name) => !tests[name](kernel));
      for (const name in found) if (failed.every((each) => each === name)) found[name].push(kernel);
    }
    return found;
  }
  drawFilters({ kind: ofKinds, arch: ofArchs, bin: ofBins }) {
    fill(byId("archs"), this.archs.map((arch) => {
      const known = ofArchs.filter((kernel) => kernel.arch === arch && kernel.occupancy !== undefined); // none of diff
      const mean = known.reduce((sum, { occupancy }) => sum + occupancy, 0) / known.length;
      return element("option", { value: arch }, arch, known.length > 0 && `: mean ${words.percent(mean)}`);
    }));
    this.arch.value = this.state.arch;
    fill(byId("kinds"), this.kinds.map(({ key, title, is }) =>
      this.filter("kind", key, `${grouped(ofKinds.filter(is).length)} ${title}`, { class: `chip ${key}` })));
    const counts = BINS.map((bin) => ofBins.filter((kernel) => kernel.bin === bin).length);
    fill(byId("bins"), counts.map((count, at) => {
      const height = count && Math.max(2, (30 * count) / Math.max(...counts)); // a single kernel can be seen
      const title = `${BINS[at]}: ${words.count(count, "kernel")}`;
      const picture = drawn("svg", { viewBox: "0 0 10 30", preserveAspectRatio: "none", "aria-hidden": "true" },
        drawn("rect", { class: "registers", y: 30 - height, width: 10, height }));
      return this.filter("bin", BINS[at], picture, { title, "aria-label": title });
    }));
  }
  filter(name, value, content, properties) {
    const isOn = this.state[name] === value;
    return button(content, () => this.set({ [name]: isOn ? "" : value }), { "aria-pressed": `${isOn}`, ...properties });
  }
  groups(kernels) {
    const groups = [...Map.groupBy(kernels, ({ name, verdict }) => `${name} ${verdict}`).values()];
    for (const group of groups) group.sort((one, other) => ORDER.compare(one.arch ?? "", other.arch ?? ""));
    const { sort, down } = this.state;
    const { of } = this.columns.find(({ key }) => key === (sort || this.given)) ?? {};
    if (!of) return groups;
    const keyed = groups.map((group) => [rangeOf(group, of)[down ? 1 : 0], group]);
    keyed.sort(([a], [b]) => {
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined); // unknown values come last
      return (down ? -1 : 1) * compareValues(a, b);
    });
    return keyed.map(([, group]) => group);
  }
  draw(shown = 250) {
    this.shown = shown;
    const found = this.filtered();
    const groups = this.groups(found.all);
    this.drawFilters(found);
    fill(this.box.querySelector("thead"), [element("tr", {}, this.columns.map((column) => this.title(column)))]);
    fill(this.box.querySelector("tbody"), groups.slice(0, shown).map((group) => {
      const worst = group.reduce((one, other) => ((other.share ?? 2) < (one.share ?? 2) ? other : one));
      return element("tr", {}, this.columns.map((column) => cellOf(column, group, worst)));
    }));
    byId("none").hidden = groups.length > 0;
    this.rest.hidden = groups.length <= shown;
    settle(this.rest, `Show more of ${grouped(groups.length)} rows`);
    const chosen = ["q", "kind", "arch", "bin"].map((name) => this.state[name]).filter(Boolean).join(", ");
    const kernels = `${grouped(found.all.length)} of ${words.count(this.kernels.length, "kernel")}`;
    settle(byId("count"), `${kernels} in ${words.count(groups.length, "row")}${chosen && `: ${chosen}`}.`);
    byId("clear").hidden = !chosen;
    byId("back").href = this.fragment();
  }
  title({ key, title, text }) {
    const { sort, down } = this.state.sort ? this.state : { sort: this.given, down: "" };
    const next = { sort: key, down: (sort === key ? down : key === "name" || key === "occupancy") ? "" : "1" };
    const order = sort === key && (down ? "descending" : "ascending");
    return element("th", { scope: "col", class: `${key} ${text ? "num" : ""}`, "aria-sort": order },
      button([title, order && (down ? " ▼" : " ▲")], () => this.set(next), { class: "link" }));
  }
}

function cellOf({ key, title, of, text, show = of, mark, look, none = "–" }, group, worst) {
  const properties = { class: `${key} ${text ? "num" : ""} ${look?.(worst) ?? ""}`, "data-title": title };
  const cell = (...content) => element(key === "name" ? "th" : "td", properties, content);
  const [least, most] = rangeOf(group, of);
  if (!text) return cell(show(worst, group), least !== most && of(worst) && mark?.(worst, group));
  if (least === undefined) return cell(none);
  const [low, high] = [least, most].map(text);
  const range = low === high ? low : `${low} to ${high}`.replace(/(?<=\d)(\D+)(?= to [+−\d.,]+\1$)/, "");
  return cell(range, mark?.(worst), " ", key === "occupancy" && archLinks(group));
}
// [least, most] of the known values.
function rangeOf(group, of) {
  const values = group.map(of).filter((value) => value || value === 0).sort(compareValues);
  return [values[0], values[values.length - 1]];
}
function nameOf(kernel, group) {
  const { name, source, verdict } = kernel;
  const link = element("a", { href: linkTo(kernel), title: `${name}\n${source}` }, name);
  const opener = element("details", {}, element("summary", { "aria-label": "Whole name" }, "…"));
  return [name.length > 100 && opener, link, verdict && archLinks(group)]; // shorter names fit in four lines
}
// A link to each kernel of a row, with its architecture and its occupancy as a bar.
function archLinks(group) {
  return element("span", { class: "archs" }, group.map((kernel) => {
    const { share, arch, launchable, limiters } = kernel;
    const title = [arch, share >= 0 && words.percent(share), limitersOf(kernel)].filter(Boolean).join(", ");
    const picture = bar(share ?? 0, launchable === false ? "fails" : limiters?.[0] ?? "warps");
    return element("a", { href: linkTo(kernel), title, "aria-label": title }, arch?.replace("sm_", ""), picture);
  }));
}
// Link to the calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel) {
  const gpu = ccOf(kernel.cc ?? kernel.arch);
  if (!limitsOf(gpu)) return null;
  const [now, before] = (kernel.verdict ? ["new_", "old_"] : [""])
    .map((side) => ({ ...fieldsIn(kernel, side), gpu, kernel: kernel.name.slice(0, 200) }))
    .filter(({ regs }) => regs || !kernel.verdict);
  return now?.threads ? toFragment(now, before, DEFAULT_PINS.split(",")) : null;
}
