// A map of two inputs: the occupancy at every pair of their values. Click, or use the arrow keys, to change both.

const MAP_HEIGHT = 300;
const MAP_EDGE = { left: 46, right: 8, top: 8, bottom: 28 };

// The values along an axis: where the chip's allocation changes, or about fifty of them.
function samplesOf(name, { limits, kernel }) {
  const high = highestOf(name, limits, kernel);
  const unit = stepOf(name, limits);
  const step = unit * 2 ** Math.max(0, Math.round(Math.log2(high / unit / 48)));
  const found = [];
  for (let value = name === "threads" || name === "regs" ? step : 0; value <= high; value += step) found.push(value);
  if (found[found.length - 1] < high) found.push(high);
  return found;
}

const tintOf = (share) => (share ? 0.08 + 0.92 * share ** 1.3 : 0).toFixed(3);

class HeatMap {
  constructor(change) {
    this.change = change;
    this.axes = ["threads", "regs"];
    this.marker = created(drawn("g"));
    this.svg = created(drawn("svg", {
      class: "map", role: "slider", tabindex: "0", height: MAP_HEIGHT, "aria-roledescription": "slider in two directions",
      keydown: (event) => this.press(event),
      pointermove: (event) => this.hover(event),
      pointerleave: () => settle(this.caption, this.words),
      click: (event) => {
        const [x, y] = this.under(event);
        this.change({ [this.axes[0]]: x, [this.axes[1]]: y });
      },
    }));
    this.caption = created(element("p", { class: "note" }));
    const names = ["threads", ...ADJUSTABLE.filter((name) => name !== "tensor_memory")]; // which few chips have
    this.selects = [0, 1].map((index) => created(element(
      "select",
      { id: `axis-${index}`, change: (event) => this.choose(index, event.target.value) },
      names.map((name) => element("option", { value: name }, words.name(name))),
    )));
    const keys = [0, 0.25, 0.5, 0.75, 1].map((share) => {
      const swatch = drawn("svg", { class: "swatch", "aria-hidden": "true" }, drawn("rect", { class: "cells", width: "100%", height: "100%", "fill-opacity": tintOf(share) }));
      return element("span", { class: "key" }, swatch, words.percent(share));
    });
    this.node = byId("map");
    refill(
      "map",
      element("p", { class: "choices" }, ["across", "up"].map((text, index) => [element("label", { for: `axis-${index}` }, text), this.selects[index]])),
      this.svg,
      element("p", { class: "choices keys" }, "occupancy", keys),
      this.caption,
    );
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
    // Between two values, a step goes to the neighbour on its side.
    const at = steps > 0 ? values.findLastIndex((each) => each <= now) : values.filter((each) => each < now).length;
    this.change({ [this.axes[index]]: values[Math.max(0, Math.min(values.length - 1, at + steps))] });
  }

  hover(event) {
    const [x, y] = this.under(event);
    settle(this.caption, this.sentence([x, y], this.at(x, y)));
  }

  sentence(amounts, { occupancy, active_blocks: blocks }) {
    const texts = this.axes.map((name, index) => (amounts[index] === null ? `${words.name(name)} not given` : amountText(name, amounts[index])));
    return `${texts.join(", ")}: ${words.percent(occupancy)}, ${words.count(blocks, "block")}`;
  }

  at(x, y) {
    const { limits, kernel, model } = this.question;
    return evaluate(limits, altered(altered(kernel, this.axes[0], x), this.axes[1], y), model);
  }

  draw(question) {
    this.question = question;
    const { limits, kernel, model, answer } = question;
    this.selects.forEach((select, index) => (select.value = this.axes[index]));
    this.values = this.axes.map((name) => samplesOf(name, question));
    // The map stays as it is while nothing changes but where on it the kernel is.
    const [name, other] = this.axes;
    const key = JSON.stringify([limits.compute_capability, model, this.width, this.axes, altered(altered(kernel, name, 0), other, 0)]);
    if (key !== this.key) this.drawCells(key);
    fill(this.marker, this.here(kernel));
    const here = this.axes.map((each) => valueOf(kernel, each));
    this.words = `${this.sentence(here, answer)}. Point to read; click, or use the arrow keys, to choose.`;
    const [low, high] = [this.values[0][0], this.values[0][this.values[0].length - 1]];
    const said = {
      label: `Map of the occupancy, ${this.axes.map(words.name).join(" across and ")} up`,
      valuemin: low, valuemax: high, valuenow: Math.min(here[0] ?? low, high), valuetext: this.sentence(here, answer),
    };
    for (const name in said) this.svg.setAttribute(`aria-${name}`, said[name]);
    settle(this.caption, this.words);
  }

  left(index) {
    return MAP_EDGE.left + (index / this.values[0].length) * (this.width - MAP_EDGE.left - MAP_EDGE.right);
  }

  low(index) {
    return MAP_HEIGHT - MAP_EDGE.bottom - (index / this.values[1].length) * (MAP_HEIGHT - MAP_EDGE.top - MAP_EDGE.bottom);
  }

  drawCells(key) {
    this.key = key;
    const { limits, kernel, model } = this.question;
    const [left, low] = [(index) => this.left(index).toFixed(1), (index) => this.low(index).toFixed(1)];
    const [across, up] = this.values;
    const paths = new Map();
    up.forEach((y, row) => {
      const at = altering(altered(kernel, this.axes[1], y), this.axes[0]);
      let start = 0;
      let before = null;
      for (let column = 0; column <= across.length; column++) {
        const share = column < across.length ? evaluate(limits, at(across[column]), model).occupancy : null;
        if (share === before) continue;
        if (before) {
          const rectangle = `M${left(start)} ${low(row)}V${low(row + 1)}H${left(column)}V${low(row)}Z`;
          paths.set(before, (paths.get(before) ?? "") + rectangle);
        }
        [start, before] = [column, share];
      }
    });
    const cells = [...paths].map(([share, d]) => drawn("path", { d, class: "cells", "fill-opacity": tintOf(share) }));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${MAP_HEIGHT}`);
    fill(this.svg, [this.frame(), drawn("g", {}, cells), this.labels(), this.marker]);
  }

  frame() {
    return drawn("rect", {
      x: MAP_EDGE.left, y: MAP_EDGE.top, width: this.width - MAP_EDGE.left - MAP_EDGE.right, height: MAP_HEIGHT - MAP_EDGE.top - MAP_EDGE.bottom, class: "empty",
    });
  }

  labels() {
    const texts = [];
    const show = (index, values, name, place) => {
      for (const value of ticksOf(values[0], values[values.length - 1], name, index ? 400 : this.width)) {
        texts.push(place(Math.min((value - values[0]) / (values[1] - values[0]) + 0.5, values.length), tickText(value, name)));
      }
    };
    show(0, this.values[0], this.axes[0], (at, text) => drawn("text", { x: this.left(at), y: MAP_HEIGHT - MAP_EDGE.bottom + 16 }, text));
    show(1, this.values[1], this.axes[1], (at, text) => drawn("text", { x: MAP_EDGE.left - 6, y: this.low(at) + 4, class: "end" }, text));
    return texts;
  }

  here(kernel) {
    const at = this.axes.map((name, index) => {
      const value = valueOf(kernel, name);
      const found = this.values[index].findIndex((each) => each >= value);
      return value === null ? null : found < 0 ? this.values[index].length - 1 : found;
    });
    if (at.includes(null)) return [];
    const [x, y] = [this.left(at[0] + 0.5), this.low(at[1] + 0.5)];
    return [drawn("circle", { cx: x, cy: y, r: 6.5, class: "halo" }), drawn("circle", { cx: x, cy: y, r: 4.5, class: "here" })];
  }
}
