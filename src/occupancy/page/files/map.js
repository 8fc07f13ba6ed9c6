// A map of two inputs: the occupancy at every pair of their values. Click, or use the arrow keys, to change both.

const MAP_HEIGHT = 300;
const MAP_EDGE = { left: 46, right: 18, top: 8, bottom: 26 };

// The values along an axis: where the GPU's allocation changes, or about fifty of them.
function samplesOf(name, { limits, kernel }) {
  const high = highestOf(name, limits, kernel);
  const unit = stepOf(name, limits);
  const step = unit * 2 ** Math.max(0, Math.round(Math.log2(high / unit / 48)));
  const samples = [];
  for (let value = name === "threads" || name === "regs" ? step : 0; value <= high; value += step) samples.push(value);
  if (samples[samples.length - 1] < high) samples.push(high);
  return samples;
}

const tintOf = (share) => (share ? 0.08 + 0.92 * share ** 1.3 : 0).toFixed(3);

class HeatMap {
  constructor() {
    Object.assign(this, { axes: ["threads", "regs"], width: 560, svg: byId("map").querySelector("svg") });
    this.caption = this.svg.nextElementSibling;
    this.marker = created(drawn("g"));
    this.selects = [byId("axis-0"), byId("axis-1")];
    this.selects.forEach((select, index) => (select.oninput = () => this.choose(index, select.value)));
    Object.assign(this.svg, {
      onkeydown: (event) => this.press(event),
      onpointermove: (event) => this.hover(event),
      onpointerleave: () => settle(this.caption, this.words),
      onclick: (event) => app.set(Object.fromEntries(this.under(event).map((value, index) => [this.axes[index], value]))),
    });
  }
  choose(index, name) {
    if (this.axes[1 - index] === name) this.axes[1 - index] = this.axes[index];
    this.axes[index] = name;
    this.draw(this.question);
  }
  under(event) {
    const box = this.svg.getBoundingClientRect();
    const place = (at, from, to, values) => values[Math.max(0, Math.min(values.length - 1, Math.floor(((at - from) / (to - from)) * values.length)))];
    return [
      place(event.clientX - box.left, MAP_EDGE.left, this.width - MAP_EDGE.right, this.values[0]),
      place(event.clientY - box.top, MAP_HEIGHT - MAP_EDGE.bottom, MAP_EDGE.top, this.values[1]),
    ];
  }
  // Left, right, Home and End go across; up and down, and the pages, go up and down.
  press(event) {
    const far = this.values[0].length;
    const [index, steps] = {
      ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -far], End: [0, far], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [1, -4], PageUp: [1, 4],
    }[event.key] ?? [];
    if (!steps || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const values = this.values[index];
    const now = valueOf(this.question.kernel, this.axes[index]) ?? -1;
    const at = steps > 0 ? values.findLastIndex((each) => each <= now) : values.filter((each) => each < now).length;
    app.set({ [this.axes[index]]: values[Math.max(0, Math.min(values.length - 1, at + steps))] });
  }
  hover(event) {
    const amounts = this.under(event);
    const { limits, kernel } = this.question;
    settle(this.caption, this.sentence(amounts, evaluate(limits, changed(kernel, { [this.axes[0]]: amounts[0], [this.axes[1]]: amounts[1] }))));
  }
  sentence(amounts, { occupancy, active_blocks: blocks }) {
    const texts = this.axes.map((name, index) => (amounts[index] === null ? `${words.name(name)} not given` : amountText(name, amounts[index])));
    return `${texts.join(", ")}: ${words.percent(occupancy)}, ${words.count(blocks, "block")}`;
  }
  draw(question) {
    this.question = question;
    const { limits, kernel, result } = question;
    this.selects.forEach((select, index) => (select.value = this.axes[index]));
    this.values = this.axes.map((name) => samplesOf(name, question));
    // The cells stay while nothing changes but where among them the kernel is.
    const key = JSON.stringify([limits.compute_capability, this.width, this.axes, changed(kernel, { [this.axes[0]]: 0, [this.axes[1]]: 0 })]);
    if (key !== this.key) this.drawCells(key);
    fill(this.marker, this.here(kernel));
    const here = this.axes.map((each) => valueOf(kernel, each));
    const spoken = this.sentence(here, result);
    this.words = `${spoken}. Click to choose.`;
    const [low, high] = [this.values[0][0], this.values[0][this.values[0].length - 1]];
    const aria = { label: `Map of the occupancy, ${this.axes.map(words.name).join(" across and ")} up`, valuemin: low, valuemax: high, valuenow: Math.min(here[0] ?? low, high), valuetext: spoken };
    for (const name in aria) this.svg.setAttribute(`aria-${name}`, aria[name]);
    settle(this.caption, this.words);
  }
  left(index) { return MAP_EDGE.left + (index / this.values[0].length) * (this.width - MAP_EDGE.left - MAP_EDGE.right); }
  low(index) { return MAP_HEIGHT - MAP_EDGE.bottom - (index / this.values[1].length) * (MAP_HEIGHT - MAP_EDGE.top - MAP_EDGE.bottom); }
  drawCells(key) {
    this.key = key;
    const { limits, kernel } = this.question;
    const [left, low] = [(index) => this.left(index).toFixed(1), (index) => this.low(index).toFixed(1)];
    const [across, up] = this.values;
    const paths = new Map();
    up.forEach((y, row) => across.forEach((x, column) => {
      const result = evaluate(limits, changed(kernel, { [this.axes[0]]: x, [this.axes[1]]: y }));
      const look = `${result.occupancy};${colourOf(result)}`;
      paths.set(look, `${paths.get(look) ?? ""}M${left(column)} ${low(row)}V${low(row + 1)}H${left(column + 1)}V${low(row)}Z`);
    }));
    const cells = [...paths].map(([look, d]) => {
      const [share, colour] = look.split(";");
      return drawn("path", { d, class: `cells ${colour}`, "fill-opacity": tintOf(Number(share)) });
    });
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${MAP_HEIGHT}`);
    const frame = { x: MAP_EDGE.left, y: MAP_EDGE.top, width: this.width - MAP_EDGE.left - MAP_EDGE.right, height: MAP_HEIGHT - MAP_EDGE.top - MAP_EDGE.bottom };
    fill(this.svg, [drawn("rect", { ...frame, class: "empty" }), drawn("g", {}, cells), this.labels(), this.marker]);
  }
  labels() {
    const show = (index, width, place) => {
      const [values, name] = [this.values[index], this.axes[index]];
      return ticksOf(values[0], values[values.length - 1], name, width).map((value) => place(Math.min((value - values[0]) / (values[1] - values[0]) + 0.5, values.length), tickText(value, name)));
    };
    return [
      show(0, this.width, (at, text) => drawn("text", { x: this.left(at), y: MAP_HEIGHT - MAP_EDGE.bottom + 16 }, text)),
      show(1, 400, (at, text) => drawn("text", { x: MAP_EDGE.left - 6, y: this.low(at) + 4, class: "end" }, text)),
    ];
  }
  here(kernel) {
    const at = this.axes.map((name, index) => {
      const value = valueOf(kernel, name);
      const place = this.values[index].findIndex((each) => each >= value);
      return value === null ? null : place < 0 ? this.values[index].length - 1 : place;
    });
    if (at.includes(null)) return [];
    const [x, y] = [this.left(at[0] + 0.5), this.low(at[1] + 0.5)];
    return [drawn("circle", { cx: x, cy: y, r: 6, class: "here" })];
  }
}
