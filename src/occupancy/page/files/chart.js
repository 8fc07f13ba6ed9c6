// The curves: the occupancy against one input. Drag sideways, click, or use the arrow keys to change the input.

const HEIGHT = 200;
const EDGE = { left: 40, right: 18, top: 22, bottom: 48 };
const UNITS = { threads: "threads per block", regs: "registers per thread", smem: "KiB per block, static and dynamic" };
const scale = { isWarps: false };
const valueOf = (kernel, name) => (name === "smem" && !isSharedMemoryGiven(kernel) ? null : amountOf(name, kernel));
const runAt = (runs, value) => runs.find((run) => value <= run.last) ?? runs[runs.length - 1];
const shareText = (share, limits) => (scale.isWarps ? `${Math.round(share * limits.max_warps_per_multiprocessor)} warps` : words.percent(share));
const colourOf = (result) => (result.active_blocks ? result.limiters[0] : "fails");

// [{first, last, blocks, warps, share, colour}]: neighbouring values with the same result.
function curveOf({ limits, kernel }, name) {
  const runs = [];
  const low = name === "smem" ? 0 : 1;
  const add = (last, result) => {
    const before = runs[runs.length - 1];
    const { active_blocks: blocks, active_warps: warps, occupancy: share } = result;
    const colour = colourOf(result);
    if (before && before.blocks === blocks && before.warps === warps && before.colour === colour) before.last = last;
    else runs.push({ first: before ? before.last + 1 : low, last, blocks, warps, share, colour });
  };
  const most = highestOf(name, limits, kernel);
  const now = Math.min(valueOf(kernel, name) ?? 0, 2 * most);
  const high = name === "threads" ? roundUp(Math.max(most, now), limits.warp_size) : most;
  for (const last of amountsOf(name, limits, low, high)) add(last, withAmount({ limits, kernel }, name, last));
  if (now > runs[runs.length - 1].last) add(now, withAmount({ limits, kernel }, name, now));
  return runs;
}

class Curve {
  constructor(name) {
    Object.assign(this, { name, runs: null, drag: null, width: 340, svg: byId(`${name}-curve`) });
    this.caption = this.svg.nextElementSibling;
    this.scale = this.svg.previousElementSibling.querySelector("button");
    this.pointed = created(drawn("g"));
    this.handlers = {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => (this.drag = null),
      pointerleave: () => this.hover(null),
      keydown: (event) => this.key(event),
    };
  }
  change(value) { app.set({ [this.name]: value }); }
  x(value) { return EDGE.left + (Math.max(0, Math.min(value, this.high) - this.low) / (this.high - this.low)) * (this.width - EDGE.left - EDGE.right); }
  y(share) { return EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom); }
  // The value under the pointer, in whole units.
  under(event) {
    const at = (event.clientX - this.svg.getBoundingClientRect().left - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    const unit = this.name === "regs" ? 1 : this.unit;
    const exact = this.low + Math.max(0, Math.min(1, at)) * (this.high - this.low);
    return Math.max(this.name === "threads" ? unit : this.low, Math.min(this.high, Math.round(exact / unit) * unit));
  }
  // A mouse takes the value at once; a finger only once it moves sideways, because it may be about to scroll.
  press(event) {
    if (event.button) return;
    this.drag = { x: event.clientX, y: event.clientY, isSideways: event.pointerType !== "touch" };
    if (!this.drag.isSideways) return;
    this.svg.setPointerCapture(event.pointerId);
    this.change(this.under(event));
  }
  move(event) {
    if (!this.drag) return this.hover(event);
    const [across, along] = [Math.abs(event.clientX - this.drag.x), Math.abs(event.clientY - this.drag.y)];
    if (!this.drag.isSideways && (across < 8 || across < 2 * along)) return;
    this.drag.isSideways = true;
    this.change(this.under(event));
  }
  release(event) {
    const { x, y, isSideways } = this.drag ?? {};
    this.drag = null;
    if (isSideways === false && Math.hypot(event.clientX - x, event.clientY - y) < 8) this.change(this.under(event)); // a tap
  }
  hover(event) {
    const value = event && this.under(event);
    const run = event && runAt(this.runs, value);
    fill(this.pointed, run ? [
      drawn("path", { d: `M${this.x(value)} ${EDGE.top}V${this.y(0)}`, class: "hair" }),
      drawn("circle", { cx: this.x(value), cy: this.y(run.share), r: 3, class: "point" }),
    ] : []);
    settle(this.caption, run ? `${amountText(this.name, value)}: ${shareText(run.share, this.limits)}, ${words.count(run.blocks, "block")}` : this.words);
  }
  key(event) {
    const units = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 4, PageDown: -4 }[event.key];
    const ends = { Home: this.name === "threads" ? this.unit : this.low, End: this.high };
    if ((!units && !(event.key in ends)) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = units ? stepped(this.now ?? this.low, units, this.unit) : ends[event.key];
    this.change(Math.max(ends.Home, Math.min(this.high, next)));
  }
  // others: [{label, question, isKept}] whose curves are drawn behind.
  draw(question, steps, others) {
    const { limits, kernel, result } = question;
    Object.assign(this, { limits, unit: stepOf(this.name, limits), runs: curveOf(question, this.name), now: valueOf(kernel, this.name) });
    this.low = this.runs[0].first;
    this.high = this.runs[this.runs.length - 1].last;
    this.words = this.sentence(result);
    settle(this.scale, scale.isWarps ? "in warps" : "in %");
    const better = steps.filter((step) => Object.keys(step.requires).length === 1 && this.name in step.requires);
    this.hover(null);
    adapt(this.svg, drawn(
      "svg",
      {
        viewBox: `0 0 ${this.width} ${HEIGHT}`,
        "aria-valuemin": this.low, "aria-valuemax": this.high, "aria-valuenow": this.now ?? this.low, "aria-valuetext": this.words, ...this.handlers,
      },
      this.axes(),
      this.areas(),
      others.map((other) => drawn("path", { d: this.line(curveOf(other.question, this.name)), class: other.isKept ? "kept" : "pinned" }, drawn("title", {}, other.label))),
      drawn("path", { d: this.line(this.runs), class: "line" }),
      this.pointed,
      this.marks(better, result),
    ));
  }
  axes() {
    const shares = [0, 0.25, 0.5, 0.75, 1];
    const across = (share) => `M${EDGE.left} ${this.y(share)}H${this.width - EDGE.right}`;
    const label = (share) => (scale.isWarps ? grouped(share * this.limits.max_warps_per_multiprocessor) : words.percent(share));
    const ticks = ticksOf(this.low, this.high, this.name, this.width);
    const middle = (EDGE.left + this.width - EDGE.right) / 2;
    return [
      drawn("path", { d: shares.map(across).join(""), class: "grid" }),
      shares.map((share) => drawn("text", { x: EDGE.left - 5, y: this.y(share) + 4, class: "end" }, label(share))),
      drawn("text", { x: 2, y: 11, class: "start title" }, scale.isWarps ? "Warps per SM" : "Occupancy"),
      ticks.map((value) => drawn("text", { x: this.x(value), y: HEIGHT - EDGE.bottom + 24 }, tickText(value, this.name))),
      drawn("text", { x: middle, y: HEIGHT - 6, class: "title" }, UNITS[this.name]),
    ];
  }
  // Below the curve the limiter of each value: a tint, and a band along the axis.
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
      drawn("path", { d: band, class: `band ${colour}` }, drawn("title", {}, colour === "fails" ? "does not launch" : `limited by ${words.name(colour)}`)),
    ]);
  }
  line(runs) {
    let path = "";
    for (const run of runs) {
      if (run.first > this.high) break;
      path += `${path ? "L" : "M"}${this.x(run.first - 1).toFixed(1)} ${this.y(run.share).toFixed(1)}H${this.x(run.last).toFixed(1)}`;
    }
    return path;
  }
  marks(better, result) {
    const found = better.map((step) => drawn("circle", { cx: this.x(step.requires[this.name]), cy: this.y(step.occupancy), r: 4.5, class: "next" }));
    if (this.now === null) return found;
    const x = this.x(this.now);
    const anchor = x > this.width - 80 ? "end" : "start";
    return [
      drawn("path", { d: `M${x} ${EDGE.top - 6}V${this.y(0)}`, class: "now" }),
      found,
      drawn("circle", { cx: x, cy: this.y(result.occupancy), r: 6, class: "here" }),
      drawn("text", { x: x + (anchor === "end" ? -6 : 6), y: EDGE.top - 8, class: `label ${anchor}` }, `${tickText(this.now, this.name)} · ${shareText(result.occupancy, this.limits)}`),
    ];
  }
  // The curve in words.
  sentence(result) {
    if (this.now === null) return "Not given: click or drag to choose.";
    const parts = [];
    const at = this.runs.indexOf(runAt(this.runs, this.now));
    const fall = this.runs.find((run, index) => index > at && run.warps < result.active_warps);
    const below = this.runs.filter((run) => run.last < this.now && run.warps > result.active_warps).pop();
    const above = this.runs.find((run) => run.first > this.now && run.warps > result.active_warps);
    const short = (value) => (this.name === "smem" ? words.size(value) : grouped(value));
    if (below) parts.push(`${shareText(below.share, this.limits)} at ${short(below.last)}`);
    if (above) parts.push(`${shareText(above.share, this.limits)} at ${short(this.name === "threads" ? above.last : above.first)}`);
    if (fall) parts.push(`${shareText(fall.share, this.limits)} above ${short(fall.first - 1)}`);
    return [`${amountText(this.name, this.now)}: ${shareText(result.occupancy, this.limits)}`, ...parts].join("; ");
  }
}

const amountText = (name, value) => (name === "smem" ? words.size(value) : words.count(value, name === "threads" ? "thread" : words.name(name).replace(/s$/, "")));
const tickText = (value, name) => (name === "smem" ? grouped(Number((value / 1024).toFixed(1))) : grouped(value));

function ticksOf(low, high, name, width) {
  const most = Math.max(3, Math.floor(width / 56));
  const units = name === "smem" ? 1024 : name === "threads" ? 128 : 1;
  let step = units;
  while ((high - low) / step > most) step *= 2;
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return ticks;
}
