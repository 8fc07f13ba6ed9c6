// The curves: how the occupancy changes with one input. Drag, click, or use the arrow keys to change it.

const HEIGHT = 168;
const EDGE = { left: 36, right: 10, top: 20, bottom: 24 };

// [{first, last, answer}]: neighbouring values with the same answer.
function curveOf(question, name) {
  const { limits, kernel, model } = question;
  const step = name === "regs" ? 1 : stepOf(name, limits);
  const low = name === "smem" ? 0 : 1;
  const high = Math.max(highestOf(name, limits), Math.min(valueOf(kernel, name) ?? 0, 2 * highestOf(name, limits)));
  const reserved = name === "smem" ? limits.reserved_shared_memory_per_block % step : 0;
  const runs = [];
  const at = altering(kernel, name);
  for (let end = name === "threads" ? step : low; ; end = Math.min(high, end + step - (end ? 0 : reserved))) {
    const answer = evaluate(limits, at(end), model);
    const last = runs[runs.length - 1];
    if (last && last.blocks === answer.active_blocks && last.warps === answer.active_warps) last.last = end;
    else {
      runs.push({
        first: last ? last.last + 1 : low,
        last: end,
        blocks: answer.active_blocks,
        warps: answer.active_warps,
        share: answer.occupancy,
      });
    }
    if (end >= high) return runs;
  }
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
    this.svg = drawn("svg", { class: "curve", role: "slider", tabindex: "0", height: HEIGHT, "aria-label": `${this.title}, curve` });
    this.caption = element("p", { class: "note" });
    this.node = element("section", {}, element("h2", {}, this.title), this.svg, this.caption);
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.take(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.svg.hasPointerCapture(event.pointerId)) this.take(event);
      else this.hover(event);
    });
    this.svg.addEventListener("pointerleave", () => this.hover(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
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
    this.pointed.replaceChildren();
    this.caption.textContent = this.words;
    if (!event) return;
    const value = this.under(event);
    const run = runAt(this.runs, value);
    this.pointed.append(
      drawn("line", { x1: this.x(value), x2: this.x(value), y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "hair" }),
      drawn("circle", { cx: this.x(value), cy: this.y(run.share), r: 3, class: "point" }),
    );
    this.caption.textContent = `${this.amount(value)}: ${words.percent(run.share)}, ${words.count(run.blocks, "block")}`;
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

  amount(value) {
    return this.name === "smem" ? words.size(value) : words.count(value, this.name === "threads" ? "thread" : "register");
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
    this.caption.textContent = this.words;
    this.pointed = drawn("g", {});
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    for (const [name, value] of [["min", this.low], ["max", this.high], ["now", this.now ?? this.low]]) {
      this.svg.setAttribute(`aria-value${name}`, value);
    }
    this.svg.setAttribute("aria-valuetext", this.words);
    this.svg.replaceChildren(...this.axes(), ...this.line(), ...this.marks(better, answer), this.pointed);
  }

  axes() {
    const bottom = HEIGHT - EDGE.bottom;
    const shares = [0, 0.25, 0.5, 0.75, 1].map((share) => [
      drawn("line", { x1: EDGE.left, x2: this.width - EDGE.right, y1: this.y(share), y2: this.y(share), class: share ? "grid" : "base" }),
      drawn("text", { x: EDGE.left - 6, y: this.y(share) + 4, class: "tick end" }, words.percent(share)),
    ]);
    const values = ticksOf(this.low, this.high, this.name, this.width).map((value) => [
      drawn("line", { x1: this.x(value), x2: this.x(value), y1: bottom, y2: bottom + 4, class: "base" }),
      drawn("text", { x: this.x(value), y: bottom + 16, class: "tick" }, tickText(value, this.name)),
    ]);
    return [...shares.flat(), ...values.flat()];
  }

  line() {
    const bottom = this.y(0);
    let path = "";
    for (const run of this.runs) {
      const [left, right, y] = [this.x(run.first), this.x(Math.min(run.last + 1, this.high)), this.y(run.share)];
      path += `${path ? "L" : "M"}${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}`;
    }
    const end = `V${bottom}H${this.x(this.low).toFixed(1)}Z`;
    return [drawn("path", { d: path + end, class: "under" }), drawn("path", { d: path, class: "steps" }), ...this.cliffs()];
  }

  // A dot at the last value before each fall.
  cliffs() {
    const falls = this.runs.filter((run, index) => index + 1 < this.runs.length && this.runs[index + 1].share < run.share);
    return falls.map((run) => drawn("circle", { cx: this.x(run.last), cy: this.y(run.share), r: 1.8, class: "cliff" }));
  }

  marks(better, answer) {
    const found = better.map((step) => {
      const value = step.requires[this.name];
      return drawn("circle", { cx: this.x(value), cy: this.y(step.occupancy), r: 4.5, class: "next" });
    });
    if (this.now === null) return found;
    const x = this.x(Math.max(this.low, Math.min(this.now, this.high)));
    const anchor = x > this.width - 60 ? "end" : x < 80 ? "start" : "";
    return [
      ...found,
      drawn("line", { x1: x, x2: x, y1: EDGE.top - 4, y2: HEIGHT - EDGE.bottom, class: "now" }),
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
    return `${this.amount(this.now)}: ${words.percent(answer.occupancy)}${parts.length ? "; " : ""}${parts.join("; ")}`;
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
