// The curves: how the occupancy changes with one input. Drag, click, or use the arrow keys to change it.

const HEIGHT = 168;
const EDGE = { left: 36, right: 10, top: 20, bottom: 24 };

// [{first, last, blocks, warps, share}]: neighbouring values with the same answer.
function curveOf({ limits, kernel, model }, name) {
  const runs = [];
  const low = name === "smem" ? 0 : 1;
  const add = (last, { active_blocks: blocks, active_warps: warps, occupancy: share }) => {
    const before = runs[runs.length - 1];
    if (before && before.blocks === blocks && before.warps === warps) before.last = last;
    else runs.push({ first: before ? before.last + 1 : low, last, blocks, warps, share });
  };
  const at = altering(kernel, name);
  const most = highestOf(name, limits, kernel);
  const now = Math.min(valueOf(kernel, name) ?? 0, 2 * most);
  if (name === "threads") {
    for (const last of py.range(limits.warp_size, Math.max(most, now) + 1, limits.warp_size)) add(last, evaluate(limits, at(last), model));
  } else {
    for (const [last, answer] of new Dial(limits, kernel, model, name).answers(low)) {
      add(Math.min(last, most), answer);
      if (last >= most) break;
    }
  }
  if (now > runs[runs.length - 1].last) add(now, evaluate(limits, at(now), model));
  return runs;
}

function valueOf(kernel, name) {
  if (name === "smem") return kernel.is_shared_memory_given ? kernel.shared_memory : null;
  return kernel[name];
}

const runAt = (runs, value) => runs.find((run) => value <= run.last) ?? runs[runs.length - 1];

class Curve {
  constructor(name, change) {
    this.name = name;
    this.change = change;
    this.title = { threads: "Block size", regs: "Registers", smem: "Shared memory" }[name];
    this.svg = created(drawn("svg"));
    this.pointed = created(drawn("g"));
    this.caption = created(element("p", { class: "note" }));
    this.node = created(element("section", {}, element("h2", {}, this.title), this.svg, this.caption));
    this.handlers = {
      pointerdown: (event) => {
        this.svg.setPointerCapture(event.pointerId);
        this.take(event);
      },
      pointermove: (event) => {
        if (this.svg.hasPointerCapture(event.pointerId)) this.take(event);
        else this.hover(event);
      },
      pointerleave: () => this.hover(null),
      keydown: (event) => this.key(event),
    };
  }

  x(value) {
    return EDGE.left + ((value - this.low) / (this.high - this.low)) * (this.width - EDGE.left - EDGE.right);
  }

  y(share) {
    return EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom);
  }

  // The value under the pointer, in whole units.
  under(event) {
    const at = (event.clientX - this.svg.getBoundingClientRect().left - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    const exact = this.low + Math.max(0, Math.min(1, at)) * (this.high - this.low);
    const unit = this.name === "regs" ? 1 : this.unit;
    return Math.max(this.name === "threads" ? unit : this.low, Math.min(this.high, Math.round(exact / unit) * unit));
  }

  take(event) {
    event.preventDefault();
    this.change(this.under(event));
  }

  hover(event) {
    const value = event && this.under(event);
    const run = event && runAt(this.runs, value);
    fill(this.pointed, run ? [
      drawn("line", { x1: this.x(value), x2: this.x(value), y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "hair" }),
      drawn("circle", { cx: this.x(value), cy: this.y(run.share), r: 3, class: "point" }),
    ] : []);
    settle(this.caption, run ? `${amountText(this.name, value)}: ${words.percent(run.share)}, ${words.count(run.blocks, "block")}` : this.words);
  }

  key(event) {
    const pages = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 4, PageDown: -4 }[event.key];
    const now = this.now ?? this.low;
    let next;
    if (pages) next = stepped(now, pages, this.unit);
    else if (event.key === "Home") next = this.name === "threads" ? this.unit : this.low;
    else if (event.key === "End") next = this.high;
    else return;
    event.preventDefault();
    this.change(Math.max(this.low, Math.min(this.high, next)));
  }

  draw(question, steps) {
    const { limits, kernel, answer } = question;
    this.unit = stepOf(this.name, limits);
    this.runs = curveOf(question, this.name);
    this.now = valueOf(kernel, this.name);
    this.low = this.runs[0].first;
    this.high = this.runs[this.runs.length - 1].last;
    const better = steps.filter((step) => Object.keys(step.requires).length === 1 && this.name in step.requires);
    this.words = this.sentence(answer);
    this.hover(null);
    const properties = {
      class: "curve", role: "slider", tabindex: "0", height: HEIGHT, viewBox: `0 0 ${this.width} ${HEIGHT}`, "aria-label": `${this.title}, curve`,
      "aria-valuemin": this.low, "aria-valuemax": this.high, "aria-valuenow": this.now ?? this.low, "aria-valuetext": this.words,
    };
    adapt(this.svg, drawn("svg", { ...properties, ...this.handlers }, this.axes(), this.line(), this.pointed, this.marks(better, answer)));
  }

  axes() {
    const bottom = HEIGHT - EDGE.bottom;
    const shares = [0, 0.25, 0.5, 0.75, 1];
    const values = ticksOf(this.low, this.high, this.name, this.width);
    const across = (share) => `M${EDGE.left} ${this.y(share)}H${this.width - EDGE.right}`;
    return [
      drawn("path", { d: shares.map(across).join(""), class: "grid" }),
      drawn("path", { d: across(0) + values.map((value) => `M${this.x(value).toFixed(1)} ${bottom}v4`).join(""), class: "base" }),
      shares.map((share) => drawn("text", { x: EDGE.left - 6, y: this.y(share) + 4, class: "end" }, words.percent(share))),
      values.map((value) => drawn("text", { x: this.x(value), y: bottom + 16 }, tickText(value, this.name))),
    ];
  }

  line() {
    const bottom = this.y(0);
    let path = "";
    for (const run of this.runs) {
      const [left, right, y] = [this.x(run.first), this.x(Math.min(run.last + 1, this.high)), this.y(run.share)];
      path += `${path ? "L" : "M"}${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}`;
    }
    const end = `V${bottom}H${this.x(this.low).toFixed(1)}Z`;
    return [drawn("path", { d: path + end, class: "under" }), drawn("path", { d: path, class: "steps" }), drawn("path", { d: this.cliffs(), class: "cliff" })];
  }

  // A dot at the last value before each fall.
  cliffs() {
    const falls = this.runs.filter((run, index) => index + 1 < this.runs.length && this.runs[index + 1].share < run.share);
    return falls.map((run) => `M${this.x(run.last).toFixed(1)} ${this.y(run.share).toFixed(1)}h0`).join("");
  }

  marks(better, answer) {
    const found = better.map((step) => drawn("circle", { cx: this.x(step.requires[this.name]), cy: this.y(step.occupancy), r: 4.5, class: "next" }));
    if (this.now === null) return found;
    const x = this.x(Math.max(this.low, Math.min(this.now, this.high)));
    const anchor = x > this.width - 60 ? "end" : x < 80 ? "start" : "";
    return [
      drawn("path", { d: `M${x} ${EDGE.top - 4}V${HEIGHT - EDGE.bottom}`, class: "now" }),
      found,
      drawn("circle", { cx: x, cy: this.y(answer.occupancy), r: 4.5, class: "here" }),
      drawn("text", { x, y: EDGE.top - 8, class: `label ${anchor}` }, `${tickText(this.now, this.name)}: ${words.percent(answer.occupancy)}`),
    ];
  }

  // What the curve shows, in words.
  sentence(answer) {
    if (this.now === null) return "Not given: click or drag to choose.";
    const parts = [];
    const at = this.runs.indexOf(runAt(this.runs, this.now));
    const fall = this.runs.find((run, index) => index > at && run.warps < answer.active_warps);
    const below = this.runs.filter((run) => run.last < this.now && run.warps > answer.active_warps).pop();
    const above = this.runs.find((run) => run.first > this.now && run.warps > answer.active_warps);
    if (below) parts.push(`${words.percent(below.share)} at ${this.short(below.last)}`);
    if (above) parts.push(`${words.percent(above.share)} at ${this.short(this.name === "threads" ? above.last : above.first)}`);
    if (fall) parts.push(`falls to ${words.percent(fall.share)} above ${this.short(fall.first - 1)}`);
    return `${amountText(this.name, this.now)}: ${words.percent(answer.occupancy)}${parts.length ? "; " : ""}${parts.join("; ")}`;
  }

  short(value) {
    return this.name === "smem" ? words.size(value) : grouped(value);
  }
}

// The next multiple of the unit, upwards or downwards.
function stepped(now, units, unit) {
  const at = units > 0 ? Math.floor(now / unit) : Math.ceil(now / unit);
  return Math.max(0, (at + units) * unit);
}

const amountText = (name, value) => (name === "smem" ? words.size(value) : words.count(value, name === "threads" ? "thread" : words.name(name).replace(/s$/, "")));

function tickText(value, name) {
  if (name !== "smem" || !value) return grouped(value);
  return value % 1024 ? `${(value / 1024).toFixed(1)}K` : `${value / 1024}K`;
}

function ticksOf(low, high, name, width) {
  const most = Math.max(3, Math.floor(width / 56));
  const steps = name === "smem" ? [1, 2, 4, 8, 16, 32, 64, 128].map((each) => each * 1024) : name === "threads" ? [128, 256, 512] : [1, 2, 4, 8, 16, 32, 64, 128];
  const step = steps.find((each) => (high - low) / each <= most) ?? steps[steps.length - 1];
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}
