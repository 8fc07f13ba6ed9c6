// The report of scan or diff: kernels to search, filter and sort, with links to the calculator.

const SHOWN = 250;
const ORDER = new Intl.Collator("en", { numeric: true }); // creating one takes longer than comparing
const compareValues = (a, b) => (typeof a === "string" ? ORDER.compare(a, b) : a - b);
// Stored and loaded bytes, or null if unknown.
function spillsOf(kernel, side = "") {
  const stores = kernel[`${side}spill_store_bytes`] ?? null;
  return stores === null ? null : stores + (kernel[`${side}spill_load_bytes`] ?? 0);
}
const sizeText = (bytes) => (bytes ? words.size(bytes) : "0");
const archsText = (group) => group.map(({ arch }) => arch ?? "").join(" ").replaceAll(" sm_", " ");
const shareOf = (kernel) => kernel.occupancy ?? kernel.new_occupancy ?? kernel.old_occupancy ?? null;
const binOf = (share) => Math.min(10, Math.floor(10 * share + 1e-9));

// Columns: the value of a kernel, and the text of a number or the element to show. Kernels with the same name share a
// row, sorted by the worst and shown as a range. Columns without values are hidden.
const SCAN_COLUMNS = [
  { key: "occupancy", title: "Occupancy", of: (kernel) => kernel.occupancy, text: words.percent, isUsed: () => true,
    after: (group) => element("span", { class: "archs" }, group.map(archBar)) },
  { key: "limiters", title: "Limited by", of: limitersOf },
  { key: "threads", title: "Threads", of: (kernel) => kernel.threads, text: grouped,
    mark: (kernel) => kernel.threads_assumed && "*" },
  { key: "regs", title: "Regs", of: (kernel) => kernel.regs, text: grouped },
  { key: "smem", title: "Shared", of: (kernel) => kernel.smem, text: sizeText },
  { key: "spills", title: "Spills st\u00a0+\u00a0ld", of: (kernel) => spillsOf(kernel), text: sizeText,
    mark: (kernel) => spillsOf(kernel) > 0 && kernel.spills_from === "code" && "~" },
  { key: "stack", title: "Stack", of: (kernel) => kernel.stack_bytes, text: sizeText },
  { key: "time", title: "Time", of: (kernel) => kernel.duration_us, text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "time-share", title: "Share", of: (kernel) => kernel.time_share, text: words.percent },
  { key: "waves", title: "Waves", of: (kernel) => kernel.waves, text: (waves) => waves.toFixed(2) },
  { key: "next", title: "Next step", of: (kernel) => kernel.next_step,
    show: ({ next_step: step, arch }, group) => [step, group.length > 1 && step && ` (${arch})`] },
];
const KINDS = [
  { key: "fails", title: "does not launch", is: (kernel) => kernel.launchable === false },
  { key: "spills", title: "spilling", is: (kernel) => spillsOf(kernel) > 0 },
  { key: "low", title: "below 50%", is: (kernel) => kernel.occupancy !== null && kernel.occupancy < 0.5 },
];
const VERDICTS = ["worse", "mixed", "removed", "added", "changed", "better", "same"];
const costs = (kernel) => (kernel.old_occupancy === kernel.new_occupancy ? 0 : -1); // only if occupancy changed
// Before, after and difference of a value. signOf: 1 if more is better, -1 if more is worse, else 0.
function comparedColumns(key, group, text, signOf, differenceText = text) {
  const sideOf = (side) => (kernel) => (key === "spills" ? spillsOf(kernel, side) : kernel[side + key] ?? null);
  const [before, after] = [sideOf("old_"), sideOf("new_")];
  const change = (kernel) => ([before(kernel), after(kernel)].includes(null) ? null : after(kernel) - before(kernel));
  const markOf = (side) => (kernel) => key === "occupancy" && kernel[`${side}threads_assumed`] && "*";
  const shared = { text, isUsed: (kernel) => before(kernel) || after(kernel) };
  return [
    { key: `old ${key}`, title: `${group} before`, of: before, mark: markOf("old_"), ...shared },
    { key: `new ${key}`, title: `${group} after`, of: after, mark: markOf("new_"), ...shared },
    { key: `change ${key}`, title: `${group} Δ`, of: change, ...shared, none: "",
      text: (value) => (value ? `${value > 0 ? "+" : "−"}${differenceText(Math.abs(value))}` : ""),
      look: (kernel) => ({ "-1": "worse", 1: "better" })[Math.sign(signOf(kernel) * change(kernel))] },
  ];
}
const DIFF_COLUMNS = [
  { key: "verdict", title: "Verdict", of: ({ verdict }) => VERDICTS.indexOf(verdict), isUsed: () => true,
    show: ({ verdict }) => element("span", { class: `chip ${verdict}` }, verdict) },
  ...comparedColumns("occupancy", "Occ.", words.percent, () => 1, (share) => String(Number((100 * share).toFixed(1)))),
  ...comparedColumns("regs", "Regs", grouped, costs), ...comparedColumns("smem", "Shared", sizeText, costs),
  ...comparedColumns("spills", "Spills", sizeText, () => -1),
  { key: "changes", title: "Changes", of: ({ changes }) => changes },
  { key: "fix", title: "Fix", of: ({ fix }) => fix },
];

class Report {
  constructor({ kind, keys, rows }) {
    this.isDiff = kind === "diff";
    this.kernels = rows.map((values) => {
      const kernel = {};
      for (let at = 0; at < keys.length; at++) kernel[keys[at]] = values[at]; // faster than Object.fromEntries
      kernel.text = `${kernel.name} ${kernel.arch ?? ""} ${kernel.cc ?? ""} ${kernel.source ?? ""}`.toLowerCase();
      return kernel;
    });
    this.state = { q: "", kind: "", arch: "", bin: "", sort: "", down: "" };
    this.archs = [...new Set(this.kernels.map(({ arch }) => arch).filter(Boolean))].sort(ORDER.compare);
    const verdicts = VERDICTS.map((key) => ({ key, title: key, is: ({ verdict }) => verdict === key }));
    this.kinds = (this.isDiff ? verdicts : KINDS).filter(({ is }) => this.kernels.some(is));
    const columns = this.isDiff ? DIFF_COLUMNS : SCAN_COLUMNS;
    this.columns = columns.filter(({ of, isUsed = of }) => this.kernels.some(isUsed));
    [this.search, this.more, this.box] = ["q", "rest", "rows"].map(byId);
    this.search.oninput = () => this.set({ q: this.search.value });
    this.more.onclick = () => this.draw(this.shown + 4 * SHOWN);
    const isSorted = ({ of }) => this.kernels.every((kernel, at) => !at || of(this.kernels[at - 1]) <= of(kernel));
    this.given = this.columns.find((column) => /^(occupancy|verdict)$/.test(column.key) && isSorted(column))?.key;
    document.querySelector("header").append(byId("back"));
    byId("notes").open = innerWidth > 700;
    addEventListener("beforeprint", () => this.draw(Infinity));
  }

  // ---- Filters and order, kept in the address
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
  // The kernels that pass the filters, or all of them but one.
  chosen(without) {
    const { q, kind, arch, bin } = { ...this.state, [without]: "" };
    const wanted = q.toLowerCase().split(/\s+/);
    const { is = () => true } = this.kinds.find(({ key }) => key === kind) ?? {};
    const isIn = (kernel) => (bin === "" || binOf(shareOf(kernel)) === Number(bin)) && (!arch || kernel.arch === arch);
    const isFound = ({ text }) => wanted.every((word) => text.includes(word));
    return this.kernels.filter((kernel) => is(kernel) && isIn(kernel) && isFound(kernel));
  }

  // ---- Rows: the chosen kernels, grouped by name
  groups(kernels) {
    if (this.isDiff) return kernels.map((kernel) => [kernel]);
    const groups = new Map();
    for (const kernel of kernels) groups.get(kernel.name)?.push(kernel) ?? groups.set(kernel.name, [kernel]);
    return [...groups.values()].map((group) => group.sort((a, b) => ORDER.compare(a.arch ?? "", b.arch ?? "")));
  }
  sorted(groups) {
    const { sort, down } = this.state;
    if (!sort) return groups;
    const of = this.columns.find(({ key }) => key === sort)?.of ?? ((kernel) => kernel.name);
    const keyed = groups.map((group) => [rangeOf(group, of)[down ? 1 : 0], group]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null); // unknown values come last
      return (down ? -1 : 1) * compareValues(a, b);
    });
    return keyed.map(([, group]) => group);
  }
  draw(shown = SHOWN) {
    this.shown = shown;
    const kernels = this.chosen();
    const groups = this.sorted(this.groups(kernels));
    this.bins = Array(11).fill(0);
    for (const share of this.chosen("bin").map(shareOf)) if (share !== null) this.bins[binOf(share)] += 1;
    const [title, low, high] = ["Occupancy", "0%", "100%"].map((text) => element("small", {}, text));
    const histogram = element("span", { class: "histogram", role: "group", "aria-label": "Occupancies" },
      title, low, this.bins.map(this.bin, this), high);
    const ofAnyKind = this.chosen("kind");
    const chips = this.kinds.map(({ key, title, is }) =>
      this.filter("kind", key, `${grouped(ofAnyKind.filter(is).length)} ${title}`, { class: `chip ${key}` }));
    const archs = this.archs.length > 1 && this.archs.map((arch) => this.filter("arch", arch, arch, { class: "chip" }));
    fill(byId("strip"), [chips, archs, histogram]);
    const titles = this.columns.map(({ key, title, text }) => this.title(key, title, text));
    fill(this.box.querySelector("thead"), [element("tr", {}, this.title("name", "Kernel"), titles)]);
    const none = element("tr", {}, element("td", { colspan: titles.length + 1 }, "No kernel matches."));
    fill(this.box.querySelector("tbody"), groups.length ? groups.slice(0, shown).map((group) => this.line(group)) : [none]);
    const of = kernels.length === this.kernels.length ? "" : `${grouped(kernels.length)} of `;
    const names = groups.length === kernels.length ? "" : `, ${words.count(groups.length, "name")}`;
    fill(byId("count"), [of, words.count(this.kernels.length, this.isDiff ? "change" : "kernel"), names, ". ",
      of && element("a", { href: "#kernels" }, "Clear filters")]);
    const left = groups.length - shown;
    this.more.hidden = left <= 0;
    settle(this.more, `Show ${grouped(Math.min(left, 4 * SHOWN))} more of ${grouped(left)}`);
    byId("back").href = this.fragment();
  }
  filter(name, value, content, properties) {
    const isOn = this.state[name] === value;
    const click = () => this.set({ [name]: isOn ? "" : value });
    return button(content, click, { "aria-pressed": String(isOn), ...properties });
  }
  bin(count, at) {
    const height = count && Math.max(2, (30 * count) / Math.max(...this.bins)); // a single kernel can be seen
    const picture = drawn("svg", { viewBox: "0 0 10 32", preserveAspectRatio: "none", "aria-hidden": "true" },
      drawn("rect", { class: "registers", y: 32 - height, width: 10, height }));
    const title = `${at < 10 ? `${10 * at}% to below ${10 * at + 10}%` : "100%"}: ${words.count(count, "kernel")}`;
    return this.filter("bin", String(at), picture, { title, "aria-label": title });
  }
  title(key, text, isNumber) {
    const { sort, down } = this.state.sort ? this.state : { sort: this.given, down: "" };
    const isUpFirst = key === "name" || key === "occupancy";
    const sortBy = () => this.set({ sort: key, down: (sort === key ? down : isUpFirst) ? "" : "1" });
    const order = sort === key ? (down ? "descending" : "ascending") : null;
    const properties = { scope: "col", class: `${key} ${isNumber ? "number" : ""}`, "aria-sort": order };
    return element("th", properties, button(text, sortBy, { class: "link" }));
  }
  line(group) {
    const worst = group.reduce((one, other) => ((other.occupancy ?? 2) <= (one.occupancy ?? 2) ? other : one));
    const [href, name] = [linkTo(worst, this.isDiff), inPieces(worst.name)];
    return element("tr", {},
      element("th", { scope: "row", class: "name" }, href ? element("a", { href, title: `${worst.name}\n${worst.source}` }, name) : name,
        " ", element("small", {}, archsText(group))),
      this.columns.map((column) => this.cell(column, group, worst)));
  }
  cell({ key, title, of, text, show = of, mark, look, after, none = "–" }, group, worst) {
    if (!text) return element("td", { class: key, "data-title": title }, show(worst, group));
    const [least, most] = rangeOf(group, of);
    const both = `${text(least ?? 0)} – ${text(most ?? 0)}`.replace(/(?<=\d)(\D+)(?= – [\d.,]+\1$)/, "");
    const range = least === null ? none : least === most ? text(least) : both;
    return element("td", { class: `number ${key} ${look?.(worst) ?? ""}`, "data-title": title }, range, mark?.(worst), after?.(group));
  }
}

function archBar(kernel) {
  const { arch, occupancy: share, launchable, limiters } = kernel;
  const title = `${arch}: ${share === null ? "unknown" : words.percent(share)}`;
  const picture = bar(share ?? 0, launchable === false ? "fails" : limiters?.[0] ?? "warps");
  return element("a", { href: linkTo(kernel, false), title, "aria-label": title }, picture);
}

// [least, most] of the known values, or nulls.
function rangeOf(group, of) {
  const values = group.map(of).filter((value) => value !== null && value !== undefined).sort(compareValues);
  return [values[0] ?? null, values[values.length - 1] ?? null];
}

// Link to the calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel, isDiff) {
  const gpu = ccOf(kernel.cc ?? kernel.arch);
  if (!limitsOf(gpu)) return null;
  const [now, before] = (isDiff ? ["new_", "old_"] : [""])
    .map((side) => ({ ...fieldsIn(kernel, side), gpu, kernel: kernel.name.slice(0, 200) }))
    .filter(({ regs }) => regs || !isDiff);
  return now?.threads ? toFragment(now, before, DEFAULT_PINS.split(",")) : null;
}

// A name with line breaks allowed before its parts.
const inPieces = (name) => name.split(/(?<=[<(,/]|::)(?=\w)/).map((part, at) => [at > 0 && element("wbr"), part]);
