// The report of scan or diff: kernels to search, filter and sort; each leads to the calculator.

const SHOWN = 250;
const ORDER = new Intl.Collator("en", { numeric: true }); // one for all: to make it takes longer than to compare
const spillsOf = (kernel, side = "") => (kernel[`${side}spill_store_bytes`] ?? 0) + (kernel[`${side}spill_load_bytes`] ?? 0);
const sizeText = (bytes) => (bytes ? words.size(bytes) : "0");
const stepText = (step) => step && `${Object.entries(step.requires).map(([name, amount]) => `${words.amount(name, amount)} ${name === "smem" ? "" : { regs: "regs" }[name] ?? name}`.trim()).join(", ")}: ${words.percent(step.occupancy)}`;

// Of several kernels of a name the worst counts for the order, and a range is shown.
const COLUMNS = [
  { key: "occupancy", title: "Occ.", of: (kernel) => kernel.occupancy, text: words.percent },
  { key: "limiters", title: "Limited by", of: (kernel) => (kernel.launchable === false ? "does not launch" : words.list((kernel.limiters ?? []).map(words.name))) },
  { key: "threads", title: "Threads", of: (kernel) => kernel.threads, text: grouped, mark: (kernel) => (kernel.threads_assumed ? "*" : "") },
  { key: "regs", title: "Regs", of: (kernel) => kernel.regs, text: grouped },
  { key: "smem", title: "Shared", of: (kernel) => kernel.smem, text: sizeText },
  { key: "spills", title: "Spills", of: (kernel) => spillsOf(kernel) || null, text: (bytes) => `${grouped(bytes)} B` },
  { key: "stack", title: "Stack", of: (kernel) => kernel.stack_bytes || null, text: (bytes) => `${grouped(bytes)} B` },
  { key: "time", title: "Time", of: (kernel) => kernel.duration_us, text: (time) => `${grouped(time.toFixed(1))} µs` },
  { key: "share", title: "Share", of: (kernel) => kernel.time_share, text: words.percent },
  { key: "waves", title: "Waves", of: (kernel) => kernel.waves, text: (waves) => waves.toFixed(2) },
  { key: "next", title: "To raise it", of: (kernel) => stepText(kernel.next_step) || "" },
];
const KINDS = {
  fails: ["does not launch", (kernel) => kernel.launchable === false],
  spills: ["spilling", (kernel) => spillsOf(kernel) > 0],
  low: ["below 50%", (kernel) => kernel.occupancy !== null && kernel.occupancy < 0.5],
};
const VERDICTS = ["worse", "mixed", "removed", "added", "changed", "better", "same"];
// The values of both builds, and whether more of it is good, bad or neither.
const COMPARED = [["occupancy", "Occupancy", words.percent, 1], ["regs", "Registers", grouped, 0], ["smem", "Shared", sizeText, 0], ["spills", "Spills", (bytes) => (bytes ? `${grouped(bytes)} B` : "0"), -1]];
const sideOf = (kernel, side, key) => (key === "spills" ? (kernel[`${side}_spill_store_bytes`] === null ? null : spillsOf(kernel, `${side}_`)) : kernel[`${side}_${key}`] ?? null);

class Report {
  constructor({ kind, lead, notes, keys, rows }, changed) {
    this.isDiff = kind === "diff";
    this.kernels = rows.map((values) => {
      const kernel = {};
      for (let at = 0; at < keys.length; at++) kernel[keys[at]] = values[at]; // 100,000 of them: faster than Object.fromEntries
      kernel.text = `${kernel.name} ${kernel.arch ?? ""} ${kernel.source ?? ""}`.toLowerCase();
      return kernel;
    });
    this.state = { q: "", arch: "", kind: "", bin: "", sort: "", down: "" };
    this.changed = changed;
    this.shown = SHOWN;
    const kinds = this.isDiff ? VERDICTS.map((verdict) => [verdict, verdict, (kernel) => kernel.verdict === verdict]) : Object.entries(KINDS).map(([key, [title, is]]) => [key, title, is]);
    this.kinds = kinds.map(([key, title, is]) => ({ key, title, is, count: this.kernels.filter(is).length })).filter(({ count }) => count);
    this.archs = [...new Set(this.kernels.map(({ arch }) => arch ?? ""))].sort(ORDER.compare);
    this.columns = this.isDiff ? this.comparedColumns() : COLUMNS.filter(({ of }) => this.kernels.some((kernel) => of(kernel)));
    this.search = created(element("input", { type: "search", placeholder: "Kernel, * for anything", "aria-label": "Search", input: (event) => this.set({ q: event.target.value }) }));
    this.select = created(element("select", { "aria-label": "Architecture", input: (event) => this.set({ arch: event.target.value }) }, ["", ...this.archs].map((arch) => element("option", { value: arch }, arch || "all architectures"))));
    this.strip = created(element("div", { class: "strip" }));
    this.count = created(element("p", { class: "note", role: "status" }));
    this.head = created(element("thead"));
    this.body = created(element("tbody"));
    this.more = created(button("", "more", () => {
      this.shown += 4 * SHOWN;
      this.draw();
    }));
    this.box = created(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Kernels" }, element("table", { class: "list" }, element("caption", { class: "unseen" }, "Kernels"), this.head, this.body)));
    this.node = created(element("main", { id: "kernels" },
      lead.map((text) => element("p", { class: "lead" }, text)),
      element("form", { class: "filters", role: "search", submit: (event) => event.preventDefault() }, this.search, this.archs.length > 1 && this.select, this.strip),
      this.count, this.box, this.more,
      notes.length > 0 && element("details", { open: true }, element("summary", {}, "Notes"), notes.map((text) => element("p", { class: "note" }, text)))));
    this.back = created(element("a", { href: "#kernels", class: "back" }, "← All kernels"));
    document.querySelector("header").append(this.back);
    document.querySelector("header").after(this.node);
  }

  // ---- Filters and order, which are in the address

  set(changes) {
    Object.assign(this.state, changes);
    this.shown = SHOWN;
    this.draw();
    this.changed();
  }
  fragment() { return ["#kernels", new URLSearchParams(Object.entries(this.state).filter(([, value]) => value))].filter(String).join("&"); }
  take(fragment) {
    const given = new URLSearchParams(fragment.replace(/^#[^&]*/, ""));
    for (const name in this.state) {
      this.state[name] = given.get(name) ?? "";
      given.delete(name);
    }
    this.unknown = [...given].map((each) => each.join("=").slice(0, 60)).slice(0, 9);
    [this.search.value, this.select.value] = [this.state.q, this.state.arch];
    this.draw();
  }
  // The list in place of the calculator, or the other way round, at the place where it was left.
  show(isListed) {
    const { classList } = document.body;
    if (!isListed && classList.contains("listed")) this.left = { at: scrollY, inBox: this.box.scrollTop, key: document.activeElement?.dataset.key };
    classList.toggle("listed", isListed);
    if (isListed) this.take(location.hash);
    scrollTo(0, isListed ? this.left?.at ?? 0 : 0);
    if (!isListed || !this.left) return;
    this.box.scrollTop = this.left.inBox;
    [...this.body.querySelectorAll("a")].find((each) => each.dataset.key === this.left.key)?.focus({ preventScroll: true });
  }
  chosen() {
    const { q, arch, kind, bin } = this.state;
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean).map((word) => word.split("*").filter(Boolean));
    const is = this.kinds.find(({ key }) => key === kind)?.is;
    return this.kernels.filter((kernel) => (!arch || kernel.arch === arch) && (!is || is(kernel)) && (bin === "" || binOf(this.shareOf(kernel)) === Number(bin)) && wanted.every((parts) => holds(kernel.text, parts)));
  }
  shareOf = (kernel) => (this.isDiff ? kernel.new_occupancy ?? kernel.old_occupancy : kernel.occupancy) ?? null;

  // ---- Rows: a group for each name, of the kernels that are chosen

  groups(kernels) {
    if (this.isDiff) return kernels.map((kernel) => [kernel]);
    const groups = new Map();
    for (const kernel of kernels) groups.get(kernel.name)?.push(kernel) ?? groups.set(kernel.name, [kernel]);
    for (const group of groups.values()) group.sort((a, b) => ORDER.compare(a.arch ?? "", b.arch ?? ""));
    return [...groups.values()];
  }
  sorted(groups) {
    const { sort, down } = this.state;
    if (!sort) return groups;
    const column = this.columns.find(({ key }) => key === sort);
    const sign = down ? -1 : 1;
    const valueOf = sort === "name" ? ([kernel]) => kernel.name : (group) => valuesOf(group, column.of)[down ? "most" : "least"];
    const keyed = groups.map((group, at) => [valueOf(group), at]);
    keyed.sort(([a, i], [b, j]) => {
      if (a === null || b === null) return (a === null) - (b === null) || i - j; // unknown values come last
      return sign * (typeof a === "string" ? ORDER.compare(a, b) : a - b) || i - j;
    });
    return keyed.map(([, at]) => groups[at]);
  }
  draw() {
    const { sort, down, kind, bin } = this.state;
    const kernels = this.chosen();
    const groups = this.sorted(this.groups(kernels));
    const bins = Array(11).fill(0);
    for (const kernel of this.kernels) if (this.shareOf(kernel) !== null) bins[binOf(this.shareOf(kernel))] += 1;
    const most = Math.max(1, ...bins);
    fill(this.strip, [
      this.kinds.map(({ key, title, count }) => button(`${grouped(count)} ${title}`, `kind ${key}`, () => this.set({ kind: kind === key ? "" : key }), { class: `chip ${key}`, "aria-pressed": String(kind === key) })),
      element("span", { class: "histogram", role: "group", "aria-label": "Occupancies" }, bins.map((count, at) => element("button", { type: "button", title: `${at < 10 ? `${10 * at}% to below ${10 * at + 10}%` : "100%"}: ${words.count(count, "kernel")}`, "aria-label": `${10 * at}%: ${count}`, "aria-pressed": String(bin === String(at)), click: () => this.set({ bin: bin === String(at) ? "" : String(at) }) },
        drawn("svg", { viewBox: "0 0 10 32", preserveAspectRatio: "none", "aria-hidden": "true" }, drawn("rect", { class: "registers", y: 32 - (30 * count) / most, width: 10, height: (30 * count) / most }))))),
    ]);
    const title = (key, text, isNumber) => element("th", { scope: "col", class: isNumber ? "number" : null, "aria-sort": sort === key ? (down ? "descending" : "ascending") : null }, button(text, `sort ${key}`, () => this.set({ sort: key, down: sort === key ? (down ? "" : "1") : key === "name" || key === "occupancy" ? "" : "1" }), { class: "link" }));
    fill(this.head, [element("tr", {}, title("name", "Kernel"), element("th", { scope: "col" }, "Arch"), this.columns.map(({ key, title: text, text: isNumber }) => title(key, text, isNumber || /^(old|new|change)-/.test(key))))]);
    fill(this.body, groups.slice(0, this.shown).map((group) => (this.isDiff ? this.comparedLine(group[0]) : this.line(group))));
    const unknown = this.unknown?.length ? ` The link has unknown parts: ${words.list(this.unknown)}.` : "";
    const of = kernels.length === this.kernels.length ? "" : `${grouped(kernels.length)} of `;
    settle(this.count, `${of}${words.count(this.kernels.length, "kernel")}${groups.length === kernels.length ? "" : `, ${words.count(groups.length, "name")}`}.${unknown}`);
    const left = groups.length - this.shown;
    this.more.hidden = left <= 0;
    settle(this.more, `Show ${grouped(Math.min(left, 4 * SHOWN))} more of ${grouped(left)}`);
    this.back.href = this.fragment();
  }
  name(kernel, title = kernel.name) {
    const link = linkTo(kernel, this.isDiff);
    return link ? element("a", { href: link, title: kernel.source, "data-key": `kernel ${kernel.name} ${kernel.arch}` }, inPieces(title)) : inPieces(title);
  }
  line(group) {
    const worst = group.reduce((one, other) => ((other.occupancy ?? 2) < (one.occupancy ?? 2) ? other : one));
    return element("tr", {},
      element("th", { scope: "row" }, this.name(worst)),
      element("td", { class: "archs" }, group.map((kernel) => element("a", { href: linkTo(kernel, false), title: `${kernel.arch}: ${kernel.occupancy === null ? "unknown" : words.percent(kernel.occupancy)}` }, (kernel.arch ?? "").replace("sm_", ""), kernel.occupancy === null ? "" : bar(kernel.occupancy, colourOfRow(kernel))))),
      this.columns.map(({ of, text, mark }) => {
        if (!text) return element("td", {}, of(worst) ?? "");
        const { least, most } = valuesOf(group, of);
        return element("td", { class: "number" }, least === null ? "" : `${text(least)}${least === most ? "" : ` – ${text(most)}`}${mark?.(worst) ?? ""}`);
      }));
  }

  // ---- The comparison: before, after and difference

  comparedColumns() {
    const both = COMPARED.filter(([key]) => this.kernels.some((kernel) => sideOf(kernel, "old", key) || sideOf(kernel, "new", key)));
    const cause = [["cause", "Cause", ({ causes }) => (causes ?? []).filter(({ name }) => !/^(regs|smem|spills)$/.test(name)).map(causeText).join(", ")], ["fix", "Fix", ({ fix }) => stepText(fix) || ""]].filter(([, , of]) => this.kernels.some(of));
    return [
      { key: "verdict", title: "Verdict", of: ({ verdict }) => VERDICTS.indexOf(verdict) },
      ...both.flatMap(([key, title]) => [["old", `${title} before`], ["new", "after"], ["change", "Δ"]].map(([side, text]) => ({ key: `${side}-${key}`, title: text, of: (kernel) => (side === "change" ? changeIn(kernel, key) : sideOf(kernel, side, key)) }))),
      ...cause.map(([key, title, of]) => ({ key, title, of })),
    ];
  }
  comparedLine(kernel) {
    return element("tr", {},
      element("th", { scope: "row" }, this.name(kernel)),
      element("td", {}, (kernel.arch ?? "").replace("sm_", "")),
      this.columns.map(({ key, of }) => {
        if (key === "verdict") return element("td", {}, element("span", { class: `chip ${kernel.verdict}` }, kernel.verdict));
        const [, name] = /^(?:old|new|change)-(.*)/.exec(key) ?? [];
        const value = of(kernel);
        if (!name) return element("td", { class: "prose" }, value);
        const [, , text, sign] = COMPARED.find(([each]) => each === name);
        if (!key.startsWith("change")) return element("td", { class: "number" }, value === null ? "–" : text(value));
        const shown = value === null || !value ? "" : `${value > 0 ? "+" : "−"}${name === "occupancy" ? `${Number((100 * Math.abs(value)).toFixed(1))}` : text(Math.abs(value))}`;
        return element("td", { class: `number ${sign && value ? (sign * value > 0 ? "better" : "worse") : ""}` }, shown);
      }));
  }
}

// 40 → 72 registers
function causeText({ name, old: before, new: after }) {
  const text = (value) => (value === null ? "none" : Array.isArray(value) ? (name === "launch_bounds" ? `(${value.filter(Boolean).join(", ")})` : value.join(" / ")) : /smem|stack/.test(name) ? sizeText(value) : typeof value === "number" ? grouped(value) : String(value));
  return `${text(before)} → ${text(after)} ${{ smem: "shared memory", regs: "registers", stack_bytes: "stack", spills: "bytes spilled", launch_bounds: "launch bounds" }[name] ?? name.replaceAll("_", " ")}`;
}

const binOf = (share) => Math.min(10, Math.floor(10 * share + 1e-9));
const colourOfRow = (kernel) => (kernel.launchable === false ? "fails" : kernel.limiters?.[0] ?? "warps");

function valuesOf(group, of) {
  const values = group.map(of).filter((value) => value !== null && value !== undefined);
  if (!values.length) return { least: null, most: null };
  if (typeof values[0] === "string") values.sort(ORDER.compare);
  else values.sort((a, b) => a - b);
  return { least: values[0], most: values[values.length - 1] };
}

function changeIn(kernel, key) {
  const [before, after] = [sideOf(kernel, "old", key), sideOf(kernel, "new", key)];
  return before === null || after === null ? null : after - before;
}

// The calculator with a kernel; in a comparison the old build is A.
function linkTo(kernel, isDiff) {
  const cc = ccOf(kernel.cc ?? kernel.arch);
  if (!cc || !limitsOf(cc)) return null;
  const fields = (side) => {
    const of = (name) => kernel[`${side}${name}`] ?? null;
    const stores = of("spill_store_bytes");
    const bounds = [of("max_threads"), of("min_blocks")].filter(Boolean).join(", ");
    return {
      gpu: cc, kernel: kernel.name.slice(0, 200), bounds, spills: spillsOf(kernel, side) ? `${grouped(stores ?? 0)} / ${grouped(of("spill_load_bytes") ?? 0)} B` : "",
      threads: of("block_dim")?.join("x") ?? of("threads"), regs: of("regs"), barriers: of("barriers"), "tensor-memory": of("tensor_memory"), "virtual-resources": of("virtual_resources"),
      "static-smem": of("static_smem"), "dynamic-smem": of("static_smem") === null ? of("smem") : of("dynamic_smem"), carveout: of("shared_memory_configuration"),
      grid: of("grid_dim")?.join("x"), cluster: of("cluster_dim")?.join("x"), sms: of("multiprocessor_count"),
    };
  };
  const given = (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => [name, String(value)]));
  const hasNew = !isDiff || sideOf(kernel, "new", "regs") !== null;
  const hasOld = isDiff && sideOf(kernel, "old", "regs") !== null;
  if (!hasNew && !hasOld) return null;
  const now = given(fields(isDiff ? (hasNew ? "new_" : "old_") : ""));
  return now.threads ? toFragment(now, hasNew && hasOld ? given(fields("old_")) : null, DEFAULT_PINS.split(",")) : null;
}

// A name that may break where one of its parts begins.
const inPieces = (name) => name.split(/(?<=[<(,/]|::)(?=\w)/).map((part, at) => [at > 0 && element("wbr"), part]);

// Whether a text holds the parts one after the other.
function holds(text, parts) {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
