// Curves of the occupancy over one input. Dragging sideways, a click and the arrow keys change the input.
const EDGE = { left: 42, right: 18, top: 24, bottom: 32 };
const valueOf = (kernel, name) => (name === "smem" && !isSharedMemoryGiven(kernel) ? null : amountOf(name, kernel));
const runAt = (runs, value) => runs.find((run) => value <= run.last) ?? runs[runs.length - 1];
function ticksOf(low, high, name, width) {
  const most = Math.max(3, Math.floor(width / 56));
  let step = { smem: 1024, threads: 128, regs: 1 }[name];
  while ((high - low) / step > most) step *= 2;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => (first + at) * step);
}
// [{first, last, blocks, warps, share, colour}]: neighbouring values with the same result.
function curveOf({ limits, kernel }, name) {
  const runs = [];
  const low = name === "smem" ? 0 : 1;
  const add = (last) => {
    const before = runs[runs.length - 1];
    const result = withAmount({ limits, kernel }, name, last);
    const { active_blocks: blocks, active_warps: warps, occupancy: share, limiters } = result;
    const [colour, why] = [blocks ? limiters[0] : "fails", limitersOf(result)];
    if (before?.blocks === blocks && before.warps === warps && before.why === why) before.last = last;
    else runs.push({ first: before ? before.last + 1 : low, last, blocks, warps, share, colour, why });
  };
  const oversized = name === "smem" && kernel.shared_memory_mode && limits.max_oversized_shared_memory_per_block;
  const highest = { threads: "threads_per_block", regs: "registers_per_thread", smem: "shared_memory_per_block_optin" };
  const most = oversized || limits[`max_${highest[name]}`];
  const now = Math.min(valueOf(kernel, name) ?? 0, 2 * most);
  const high = name === "threads" ? roundUp(Math.max(most, now), limits.warp_size) : most;
  amountsOf(name, limits, low, high).forEach(add);
  if (now > high) add(now);
  return runs;
}
class Curve {
  constructor(name) {
    Object.assign(this, { name, runs: null, drag: null, width: 340, height: 260, svg: byId(`${name}-curve`) });
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "keydown"]) {
      this.svg.addEventListener(type, (event) => this[type](event));
    }
    new ResizeObserver(([{ contentRect: { width, height } }]) => {
      if (width) Object.assign(this, { width, height });
      app.redrawSoon();
    }).observe(this.svg);
  }
  change(value) { app.set({ [this.name]: Math.max(this.least, Math.min(this.high, value)) }); }
  get right() { return this.width - EDGE.right; }
  x(value) {
    const share = (Math.max(0, Math.min(value, this.high) - this.low)) / (this.high - this.low);
    return EDGE.left + share * (this.right - EDGE.left);
  }
  y(share) { return EDGE.top + (1 - share) * (this.height - EDGE.top - EDGE.bottom); }
  // The value below a pointer. Near the end of a level it is the last value of the level.
  under(event) {
    const at = (event.clientX - this.svg.getBoundingClientRect().left - EDGE.left) / (this.right - EDGE.left);
    const exact = this.low + Math.max(0, Math.min(1, at)) * (this.high - this.low);
    const level = this.runs.find(({ last }) => Math.abs(this.x(last) - this.x(exact)) < 3);
    const unit = this.name === "regs" ? 1 : this.unit;
    return level ? level.last : Math.min(this.high, Math.round(exact / unit) * unit);
  }
  // A mouse sets the value at once; a finger only after moving sideways, because it may scroll instead.
  pointerdown(event) {
    if (event.button) return;
    this.svg.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, isSideways: event.pointerType !== "touch" };
    if (this.drag.isSideways) this.change(this.under(event));
  }
  pointermove(event) {
    if (!this.drag) return this.point(this.under(event));
    const [across, along] = [Math.abs(event.clientX - this.drag.x), Math.abs(event.clientY - this.drag.y)];
    this.drag.isSideways ||= across >= 8 && across >= 2 * along;
    if (this.drag.isSideways) this.change(this.under(event));
  }
  pointerup(event) {
    if (this.drag) this.change(this.under(event));
    this.drag = null;
  }
  pointercancel() { this.drag = null; }
  pointerleave() { this.point(null); }
  point(value) {
    const run = value !== null && runAt(this.runs, value);
    this.svg.classList.toggle("pointed", Boolean(run));
    fill(this.svg.lastChild, run ? [
      drawn("path", { d: `M${this.x(value)} ${EDGE.top - 6}V${this.y(0)}`, class: "now" }),
      drawn("circle", { cx: this.x(value), cy: this.y(run.share), r: 4, class: "here" }),
      this.label(value, this.sentence(value)),
    ] : []);
  }
  // Page keys go to the last value of the next level; with Shift, arrows change the value by the least.
  keydown(event) {
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const [now, ends] = [this.now ?? this.low, [this.low, ...this.runs.map(({ last }) => last)]];
    const jumps = { Home: this.low, End: this.high, PageUp: ends.find((end) => end > now) };
    jumps.PageDown = ends.findLast((end) => end < now);
    const units = { ...KEYS, ArrowRight: 1, ArrowLeft: -1 }[key];
    if (altKey || ctrlKey || metaKey || !(units || key in jumps)) return;
    event.preventDefault();
    this.change(units ? stepped(now, units, shiftKey ? leastStepOf(this.name) : this.unit) : jumps[key] ?? now);
  }
  amount(value) { return this.name === "smem" ? words.size(value) : words.some(this.name, value); }
  sentence(value) {
    const { share, warps, why } = runAt(this.runs, value);
    return `${this.amount(value)}: ${words.percent(share)}, ${words.count(warps, "warp")} (${why})`;
  }
  // others: [{result, line}], drawn over the curve with gaps; line: properties of their line.
  draw(result, steps, others) {
    let [runs, now] = [curveOf(result, this.name), valueOf(result.kernel, this.name)];
    const [low, high] = [runs[0].first, runs[runs.length - 1].last];
    const failing = { first: low, last: high, warps: 0, share: 0, colour: "fails", why: "does not compile" };
    if (isRefusedByCompiler(result)) runs = [failing];
    const unit = stepOf(this.name, result.limits);
    const least = { threads: unit, regs: low, smem: result.kernel.static_smem ?? 0 }[this.name]; // static memory stays
    Object.assign(this, { unit, least, runs, now, low, high });
    const text = now === null ? "not given" : this.sentence(now);
    const aria = { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": now ?? low, "aria-valuetext": text };
    const lines = others.map((other) => this.line(curveOf(other.result, this.name), other.line));
    adapt(this.svg, drawn("svg", { viewBox: `0 0 ${this.width} ${this.height}`, ...aria },
      this.axes(), this.areas(), this.line(runs, { class: "line" }), lines, this.marks(steps, result), drawn("g")));
    this.point(null);
  }
  axes() {
    const shares = [0, 0.25, 0.5, 0.75, 1];
    const across = shares.map((share) => `M${EDGE.left} ${this.y(share)}H${this.right}`).join("");
    const text = (x, y, look, content) => drawn("text", { x, y, class: look }, content);
    const tick = (value) => grouped(this.name === "smem" ? Number((value / 1024).toFixed(1)) : value);
    return [
      drawn("path", { d: across, class: "grid" }),
      shares.map((share) => text(EDGE.left - 8, this.y(share) + 4, "end", words.percent(share))),
      ticksOf(this.low, this.high, this.name, this.width)
        .map((value) => text(this.x(value), this.height - 6, "tick", tick(value))),
    ];
  }
  // The limiter of each value: a tint below the curve, and a band along the axis.
  areas() {
    const paths = {};
    const bottom = this.y(0);
    for (const run of this.runs) {
      const [left, right] = [this.x(run.first - 1).toFixed(1), this.x(run.last).toFixed(1)];
      const found = (paths[run.colour] ??= { tint: "", band: "" });
      found.tint += `M${left} ${bottom}V${this.y(run.share).toFixed(1)}H${right}V${bottom}Z`;
      found.band += `M${left} ${bottom + 3}H${right}v6H${left}Z`;
    }
    return Object.entries(paths).map(([colour, { tint, band }]) => [
      drawn("path", { d: tint, class: `tint ${colour}` }),
      drawn("path", { d: band, class: `band ${colour}` }),
    ]);
  }
  line(runs, properties) {
    const levels = runs.filter(({ first }) => first <= this.high).map(({ first, last, share }) =>
      `${this.x(first - 1).toFixed(1)} ${this.y(share).toFixed(1)}H${this.x(last).toFixed(1)}`);
    return drawn("path", { d: `M${levels.join("L")}`, ...properties });
  }
  label(value, text) {
    const fits = 7.2 * text.length < this.width ? text : text.replace(/ \(.*/, "");
    const half = 3.6 * fits.length; // about half of its width
    const x = Math.max(half, Math.min(this.width - half, this.x(value)));
    return drawn("text", { x, y: 12, class: "label" }, fits);
  }
  marks(steps, result) {
    const { now } = this;
    const dot = (value, share, r, look) => drawn("circle", { cx: this.x(value), cy: this.y(share), r, class: look });
    return drawn("g", { class: "marks" },
      now !== null && drawn("path", { d: `M${this.x(now)} ${EDGE.top - 6}V${this.y(0)}`, class: "now" }),
      steps.filter(({ requires }) => Object.keys(requires).join() === this.name)
        .map((step) => dot(step.requires[this.name], step.occupancy, 4.5, "next")),
      now !== null && dot(now, runAt(this.runs, now).share, 6, "here"),
      now === null ? this.label(0, "Not given: click to choose")
        : this.label(now, `${this.amount(now)}: ${words.percent(runAt(this.runs, now).share)}`));
  }
}
// The lines of other GPUs and A in the key of the curves.
function showKey(others) {
  const line = (look) => drawn("svg", { width: 26, height: 10 }, drawn("path", { d: "M0 5H26", ...look }));
  fill(byId("key"), others.map(({ label, line: look }) => element("span", {}, line(look), ` ${label}`)));
}
