// Curves of the occupancy over one input. Dragging sideways, a click and the arrow keys change the input.
const HEIGHT = 200;
const EDGE = { left: 44, right: 18, top: 22, bottom: 48 };
const UNITS = { threads: "threads per block", regs: "registers per thread", smem: "KiB, static + dynamic" };
const valueOf = (kernel, name) => (name === "smem" && !isSharedMemoryGiven(kernel) ? null : amountOf(name, kernel));
const runAt = (runs, value) => runs.find((run) => value <= run.last) ?? runs[runs.length - 1];
const colourOf = (result) => (result.active_blocks ? result.limiters[0] : "fails");
const tickText = (value, name) => grouped(name === "smem" ? Number((value / 1024).toFixed(1)) : value);

function ticksOf(low, high, name, width) {
  const most = Math.max(3, Math.floor(width / 56));
  let step = { smem: 1024, threads: 128, regs: 1 }[name];
  while ((high - low) / step > most) step *= 2;
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return ticks;
}

// [{first, last, blocks, warps, share, colour}]: neighbouring values with the same result.
function curveOf({ limits, kernel }, name) {
  const runs = [];
  const low = name === "smem" ? 0 : 1;
  const add = (last) => {
    const before = runs[runs.length - 1];
    const result = withAmount({ limits, kernel }, name, last);
    const { active_blocks: blocks, active_warps: warps, occupancy: share } = result;
    const [colour, why] = [colourOf(result), limitersOf(result)];
    if (before?.blocks === blocks && before.warps === warps && before.why === why) before.last = last;
    else runs.push({ first: before ? before.last + 1 : low, last, blocks, warps, share, colour, why });
  };
  const highest = { threads: "threads_per_block", regs: "registers_per_thread", smem: "shared_memory_per_block_optin" };
  const oversized = name === "smem" && kernel.shared_memory_mode && limits.max_oversized_shared_memory_per_block;
  const most = oversized || limits[`max_${highest[name]}`];
  const now = Math.min(valueOf(kernel, name) ?? 0, 2 * most);
  const high = name === "threads" ? roundUp(Math.max(most, now), limits.warp_size) : most;
  amountsOf(name, limits, low, high).forEach(add);
  if (now > high) add(now);
  return runs;
}

class Curve {
  constructor(name) {
    Object.assign(this, { name, runs: null, drag: null, width: 340, svg: byId(`${name}-curve`) });
    this.caption = this.svg.nextElementSibling;
    this.pointed = created(drawn("g"));
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "keydown"]) {
      this.svg.addEventListener(type, (event) => this[type](event));
    }
    new ResizeObserver(([{ contentRect: { width } }]) => {
      if (!width || this.width === Math.round(width)) return;
      this.width = Math.round(width);
      app.redrawSoon();
    }).observe(this.svg);
  }
  change(value) {
    const least = this.name === "threads" ? this.unit : this.low;
    app.set({ [this.name]: Math.max(least, Math.min(this.high, value)) });
  }
  get right() { return this.width - EDGE.right; }
  x(value) {
    const share = (Math.max(0, Math.min(value, this.high) - this.low)) / (this.high - this.low);
    return EDGE.left + share * (this.right - EDGE.left);
  }
  y(share) { return EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom); }
  under(event) {
    const at = (event.clientX - this.svg.getBoundingClientRect().left - EDGE.left) / (this.right - EDGE.left);
    const unit = this.name === "regs" ? 1 : this.unit;
    const exact = this.low + Math.max(0, Math.min(1, at)) * (this.high - this.low);
    return Math.round(exact / unit) * unit;
  }
  // A mouse sets the value at once; a finger only after moving sideways, because it may scroll instead.
  pointerdown(event) {
    if (event.button) return;
    this.drag = { x: event.clientX, y: event.clientY, isSideways: event.pointerType !== "touch" };
    if (!this.drag.isSideways) return;
    this.svg.setPointerCapture(event.pointerId);
    this.change(this.under(event));
  }
  pointermove(event) {
    if (!this.drag) return this.hover(event);
    const [across, along] = [Math.abs(event.clientX - this.drag.x), Math.abs(event.clientY - this.drag.y)];
    if (!this.drag.isSideways && (across < 8 || across < 2 * along)) return;
    this.drag.isSideways = true;
    this.change(this.under(event));
  }
  pointerup(event) {
    const { x, y, isSideways } = this.drag ?? {};
    this.drag = null;
    const isTap = isSideways === false && Math.hypot(event.clientX - x, event.clientY - y) < 8;
    if (isTap) this.change(this.under(event));
  }
  pointercancel() { this.drag = null; }
  pointerleave() { this.hover(null); }
  hover(event) {
    const value = event && Math.min(this.high, this.under(event));
    const run = event && runAt(this.runs, value);
    fill(this.pointed, run ? [
      drawn("path", { d: `M${this.x(value)} ${EDGE.top}V${this.y(0)}`, class: "hair" }),
      drawn("circle", { cx: this.x(value), cy: this.y(run.share), r: 3, class: "point" }),
    ] : []);
    const shares = run && this.others.map(({ runs, label }) => `${label} ${words.percent(runAt(runs, value).share)}`);
    settle(this.caption, run ? [this.sentence(value).split(",\n")[0], ...shares].join(", ") : this.words);
  }
  keydown(event) {
    const units = { ...KEYS, ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!units || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.change(stepped(this.now ?? this.low, units, this.unit));
  }
  sentence(value) {
    const { share, colour, why } = runAt(this.runs, value);
    const amount = this.name === "smem" ? words.size(value) : words.some(this.name, value);
    return `${amount}: ${words.percent(share)},\n${colour === "fails" ? "" : "limited by "}${why}`;
  }
  // others: [{launch, look, label}], drawn behind the curve.
  draw({ limits, kernel, result }, steps, others) {
    const [runs, now] = [curveOf({ limits, kernel }, this.name), valueOf(kernel, this.name)];
    const [low, high] = [runs[0].first, runs[runs.length - 1].last];
    const would = isRefusedByCompiler(result) ? "would be " : "";
    Object.assign(this, { limits, unit: stepOf(this.name, limits), runs, now, low, high, would });
    this.others = others.map(({ launch, ...other }) => ({ ...other, runs: curveOf(launch, this.name) }));
    this.words = now === null ? "Not given: click or drag to choose." : this.sentence(now);
    this.hover(null);
    const aria = { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": now ?? low };
    adapt(this.svg, drawn("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, ...aria, "aria-valuetext": this.words },
      this.axes(), this.areas(),
      this.others.map((other) => this.line(other.runs, other.look)),
      this.line(this.runs, "line"),
      this.pointed, this.marks(steps, result)));
  }
  axes() {
    const shares = [0, 0.25, 0.5, 0.75, 1];
    const across = shares.map((share) => `M${EDGE.left} ${this.y(share)}H${this.right}`).join("");
    const below = HEIGHT - EDGE.bottom + 24;
    const tick = (value) => drawn("text", { x: this.x(value), y: below }, tickText(value, this.name));
    return [
      drawn("path", { d: across, class: "grid" }),
      shares.map((share) => drawn("text", { x: EDGE.left - 9, y: this.y(share) + 4, class: "end" },
        words.percent(share))),
      drawn("text", { x: 2, y: 11, class: "start title" }, "Occupancy"),
      ticksOf(this.low, this.high, this.name, this.width).map(tick),
      drawn("text", { x: (EDGE.left + this.right) / 2, y: HEIGHT - 6, class: "title" }, UNITS[this.name]),
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
  line(runs, look) {
    const levels = runs.filter(({ first }) => first <= this.high).map(({ first, last, share }) =>
      `${this.x(first - 1).toFixed(1)} ${this.y(share).toFixed(1)}H${this.x(last).toFixed(1)}`);
    return drawn("path", { d: `M${levels.join("L")}`, class: look });
  }
  // Dots for the kernel and for next steps that change this input alone.
  marks(steps, { occupancy }) {
    const dot = (value, share, r, look) => drawn("circle", { cx: this.x(value), cy: this.y(share), r, class: look });
    const found = steps.filter(({ requires }) => Object.keys(requires).join() === this.name)
      .map((step) => dot(step.requires[this.name], step.occupancy, 4.5, "next"));
    if (this.now === null) return found;
    const x = this.x(this.now);
    const [anchor, at] = x > this.width - 80 ? ["end", x - 6] : ["start", Math.max(78, x + 6)]; // beside the title
    const label = `${tickText(this.now, this.name)} · ${this.would}${words.percent(occupancy)}`;
    return [
      drawn("path", { d: `M${x} ${EDGE.top - 6}V${this.y(0)}`, class: "now" }),
      found, dot(this.now, occupancy, 6, "here"),
      drawn("text", { x: at, y: EDGE.top - 8, class: `label ${anchor}` }, label),
    ];
  }
}
