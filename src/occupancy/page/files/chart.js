// Charts of the occupancy: curves over one input, maps over two. A sideways drag, a click and keys set the inputs.
const EDGE = { left: 42, right: 18, top: 24, bottom: 32 };
const runAt = (runs, value) => runs.find((run) => value <= run.last) ?? runs[runs.length - 1];
const drawnText = (x, y, look, text) => drawn("text", { x, y, class: look }, text);
// {name, least, high, unit, cell}: the values of an input that a chart can set, and what a cell of a map spans.
function axisOf(name, { limits, kernel }) {
  const oversized = name === "smem" && kernel.shared_memory_mode && limits.max_oversized_shared_memory_per_block;
  const highest = { threads: "threads_per_block", regs: "registers_per_thread", smem: "shared_memory_per_block_optin" };
  const unit = stepOf(name, limits);
  const least = { threads: unit, regs: 1, smem: fixedMemory({ limits, kernel }) }[name];
  const high = oversized || limits[`max_${highest[name]}`];
  return { name, least, high, unit, cell: roundUp(high / 32, unit) };
}
// [position, text] of up to a number of ticks along an axis.
function ticksOf({ name, high }, most) {
  let step = { smem: 1024, threads: 128, regs: 1 }[name];
  while (high / step > most) step *= 2;
  const ticks = Array.from({ length: divide(high, step) + 1 }, (_, at) => at * step);
  return ticks.map((value) => [value, grouped(name === "smem" ? value / 1024 : value)]);
}
const FAILING = { warps: 0, share: 0, colour: "fails", why: "does not compile" };
const outcomeOf = (result) =>
  ({ warps: result.active_warps, share: result.occupancy, colour: colourOf(result), why: limitersOf(result) });
// [{first, last, warps, share, colour, why}]: neighbouring values with the same result.
function curveOf({ limits, kernel }, name) {
  const runs = [];
  const low = name === "smem" ? 0 : 1;
  const add = (last) => {
    const before = runs[runs.length - 1];
    const outcome = outcomeOf(withAmount({ limits, kernel }, name, last));
    if (before?.warps === outcome.warps && before.why === outcome.why) before.last = last;
    else runs.push({ first: before ? before.last + 1 : low, last, ...outcome });
  };
  const { high } = axisOf(name, { limits, kernel });
  const now = Math.min(amountOf(name, kernel) ?? 0, 2 * high);
  amountsOf(name, limits, low, Math.max(high, now)).forEach(add);
  return runs;
}
// What curves and maps share. Values are lists with one for each axis.
class Chart {
  constructor(...names) {
    const svg = byId(`${names.join("-")}-chart`);
    Object.assign(this, { names, svg, width: 340, height: 260, drag: null });
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "keydown"]) {
      svg.addEventListener(type, (event) => this[type](event));
    }
    new ResizeObserver(([{ contentRect: { width, height } }]) => {
      if (width) Object.assign(this, { width, height });
      app.redrawSoon();
    }).observe(svg);
  }
  change(values) {
    const amounts = this.axes.map(({ name, least, high }, at) => [name, Math.max(least, Math.min(high, values[at]))]);
    app.set(Object.fromEntries(amounts));
  }
  get right() { return this.width - EDGE.right; }
  get bottom() { return this.height - EDGE.bottom; }
  x(value) { return EDGE.left + Math.min(1, value / this.axes[0].high) * (this.right - EDGE.left); }
  y(share) { return this.bottom - share * (this.bottom - EDGE.top); }
  sharesAt({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const across = (clientX - left - EDGE.left) / (this.right - EDGE.left);
    return [across, (this.bottom + top - clientY) / (this.bottom - EDGE.top)].map((at) => Math.max(0, Math.min(1, at)));
  }
  // A mouse sets the values at once; a finger only after moving sideways, because it may scroll instead.
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
    app.redraw();
    app.rest();
  }
  pointercancel() { this.drag = null; }
  pointerleave() { this.point(null); }
  point(values) {
    this.svg.classList.toggle("pointed", Boolean(values));
    fill(this.svg.lastChild, values ? this.mark(values, 4, this.sentence(values)) : []);
  }
  keydown(event) {
    const { key, altKey, ctrlKey, metaKey } = event;
    const units = { ...KEYS, ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key];
    if (!units || altKey || ctrlKey || metaKey) return;
    event.preventDefault();
    const axis = /Up|Down/.test(key) ? this.axes.length - 1 : 0;
    const move = (value, at) => (at === axis ? stepped(value, units, this.axes[axis].unit) : value);
    this.change(this.now.map((value) => value ?? 0).map(move));
  }
  sentence(values) {
    const { share, warps, why } = this.outcome(values);
    const amounts = values.map((value, at) => words.some(this.names[at], value).replace(" of shared memory", ""));
    return `${amounts.join(", ")}: ${words.percent(share)}, ${words.count(warps, "warp")} (${why})`;
  }
  // A point, a line below it, and a text, shortened to fit.
  mark(values, r, text) {
    const [cx, cy] = this.at(values);
    const short = text.replace(/%.*/, "%");
    const texts = [text, text.replace(/, \d+ warps?/, ""), short, short.replace(/ (thread|register)s?/g, "")];
    const fits = texts.find((each) => 7.7 * each.length < this.width) ?? texts[3];
    const half = 3.85 * fits.length; // about half of its width
    return [drawn("path", { d: `M${cx} ${EDGE.top - 6}V${this.bottom}`, class: "now" }),
      drawn("circle", { cx, cy, r, class: "here" }),
      drawnText(Math.max(half, Math.min(this.width - half, cx)), 12, "label", fits)];
  }
  // Draw parts, ticks, and the mark of this kernel.
  show({ kernel }, ...parts) {
    this.now = this.names.map((name) => amountOf(name, kernel));
    const isGiven = !this.now.includes(null);
    const text = isGiven ? this.sentence(this.now) : "not given";
    const [{ least, high }, now] = [this.axes[0], this.now[0] ?? 0];
    const aria = { "aria-valuemin": least, "aria-valuemax": high, "aria-valuenow": now, "aria-valuetext": text };
    const mark = isGiven ? this.mark(this.now, 6, text.replace(/%.*/, "%"))
      : drawnText(90, 12, "label", "Not given: click to choose");
    const ticks = ticksOf(this.axes[0], Math.max(3, this.width / 56));
    adapt(this.svg, drawn("svg", { viewBox: `0 0 ${this.width} ${this.height}`, ...aria }, parts,
      ticks.map(([value, tick]) => drawnText(this.x(value), this.height - 6, "", tick)),
      drawn("g", { class: "marks" }, mark), drawn("g")));
    this.point(null);
  }
}
class Curve extends Chart {
  outcome([value]) { return runAt(this.runs, value); }
  at([value]) { return [this.x(value), this.y(runAt(this.runs, value).share)]; }
  // Near the end of a level it is the last value of the level.
  under(event) {
    const [{ name, least, high, unit }] = this.axes;
    const exact = this.sharesAt(event)[0] * high;
    const level = this.runs.find(({ last }) => Math.abs(this.x(last) - this.x(exact)) < 3);
    const grain = name === "regs" ? 1 : unit;
    return [level ? level.last : Math.max(least, Math.min(high, Math.round(exact / grain) * grain))];
  }
  // others: [{result, line}], drawn over the curve with gaps; line: properties of their line.
  draw(result, steps, others) {
    const [name] = this.names;
    this.runs = curveOf(result, name);
    const { last: high } = this.runs[this.runs.length - 1];
    this.axes = [{ ...axisOf(name, result), high }];
    if (hasTooMuchStatic(result)) this.runs = [{ first: 1, last: high, ...FAILING }];
    const lines = others.map(({ result: its, line }) => !hasTooMuchStatic(its) && this.line(curveOf(its, name), line));
    const dots = steps.filter(({ requires }) => Object.keys(requires).join() === name).map(({ requires, occupancy }) =>
      drawn("circle", { cx: this.x(requires[name]), cy: this.y(occupancy), r: 4.5, class: "next" }));
    this.show(result, this.grid(), this.areas(), this.line(this.runs, { class: "line" }), lines, dots);
  }
  grid() {
    return [0, 0.25, 0.5, 0.75, 1].map((share) => [
      drawn("path", { d: `M${EDGE.left} ${this.y(share)}H${this.right}`, class: "grid" }),
      drawnText(EDGE.left - 8, this.y(share) + 4, "end", words.percent(share)),
    ]);
  }
  // The limiter of each value: a tint below the curve, and a band along the axis.
  areas() {
    const { bottom } = this;
    return this.runs.map(({ first, last, share, colour }) => {
      const [left, right] = [this.x(first - 1), this.x(last)];
      const tint = `M${left} ${bottom}V${this.y(share)}H${right}V${bottom}Z`;
      const band = `M${left} ${bottom + 3}H${right}v6H${left}Z`;
      return [drawn("path", { d: tint, class: `tint ${colour}` }), drawn("path", { d: band, class: colour })];
    });
  }
  line(runs, properties) {
    const levels = runs.filter(({ first }) => first <= this.axes[0].high).map(({ first, last, share }) =>
      `${this.x(first - 1).toFixed(1)} ${this.y(share).toFixed(1)}H${this.x(last).toFixed(1)}`);
    return drawn("path", { d: `M${levels.join("L")}`, ...properties });
  }
}
// The limiter at each pair of values is the colour of a cell, and the occupancy its strength.
class HeatMap extends Chart {
  cells = [];
  outcome(values) {
    const { limits, kernel } = this.result;
    const amounts = Object.fromEntries(this.names.map((name, at) => [name, values[at]]));
    return hasTooMuchStatic(this.result) ? FAILING : outcomeOf(evaluate(limits, changed(kernel, amounts)));
  }
  at([value, other]) { return [this.x(value), this.y(Math.min(1, other / this.axes[1].high))]; }
  // The highest values of a cell, which it shows.
  under(event) {
    const shares = this.sharesAt(event);
    return this.axes.map(({ high, cell }, at) => Math.min(high, Math.max(cell, roundUp(shares[at] * high, cell))));
  }
  draw(result) {
    Object.assign(this, { result, axes: this.names.map((name) => axisOf(name, result)) });
    this.showCells();
    clearTimeout(this.waiting); // cells change when a drag rests
    this.waiting = setTimeout(() => this.svg.checkVisibility() && this.showCells(this.drawnCells()), 150);
  }
  showCells(cells = this.cells) {
    this.cells = cells;
    const ticks = ticksOf(this.axes[1], this.height / 28)
      .map(([value, tick]) => drawnText(EDGE.left - 8, this.at([0, value])[1] + 4, "end", tick));
    this.show(this.result, drawn("g", { class: "cells" }, cells), ticks);
  }
  drawnCells() {
    const paths = {};
    const [columns, rows] = this.axes.map(({ high, cell }) =>
      Array.from({ length: Math.ceil(high / cell) }, (_, at) => [at * cell, Math.min(high, (at + 1) * cell)]));
    for (const [[left, right], [low, high]] of columns.flatMap((column) => rows.map((row) => [column, row]))) {
      const { share, colour } = this.outcome([right, high]);
      const [x, y] = this.at([right, high]);
      const look = `${colour} ${share ? 0.1 + 0.9 * share : 0.35}`;
      paths[look] = `${paths[look] ?? ""}M${this.at([left, low])}H${x}V${y}H${this.x(left)}Z`;
    }
    return Object.entries(paths).map(([look, d]) => {
      const [colour, strength] = look.split(" ");
      return drawn("path", { d, class: colour, "fill-opacity": strength });
    });
  }
}
