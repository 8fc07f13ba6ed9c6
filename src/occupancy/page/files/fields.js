// The fields: their texts, the kernel of those texts, and the form made from the table of inputs.

const FACTORS = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
const MOST = 2 ** 31 - 1;
const LAUNCH = [
  { name: "sms", label: "SMs of the GPU", kind: "count", help: "Known for a GPU by name; enter it for a compute capability." },
  { name: "grid", label: "Blocks of the grid", kind: "shape", help: "A number, or a shape such as 128x32." },
  { name: "cluster", label: "Blocks per cluster", kind: "shape", help: "A number, or a shape such as 2x1.", needs: "max_portable_cluster_size" },
];
const SIZES = [0, MOST];
const inputOf = (field) => DATA.inputs.find((each) => each.field === field);

class Wrong extends Error {}

function readCount(text, range) {
  const plain = /^\d{1,3}([,_]\d{3})+$/.test(text) ? text.replace(/[,_]/g, "") : text;
  if (!/^(\d{1,12}|0x[0-9a-f]{1,9})$/i.test(plain)) throw new Wrong("Enter a whole number.");
  return within(Number(plain), range);
}

function within(number, [low, high]) {
  if (number < low) throw new Wrong(`Enter ${grouped(low)} or more.`);
  if (number > high) throw new Wrong(`Enter ${grouped(high)} or less.`);
  return number;
}

// The bytes of a size; NaN if it is none.
function bytesOf(text) {
  const [, number, unit = ""] = /^(\d[\d,_]{0,15}(?:\.\d{1,9})?|0x[0-9a-f]{1,9})\s*(?:([kmg])(?:i?b)?|b|bytes?)?$/i.exec(text) ?? [];
  return number === undefined ? NaN : Number(number.replace(/[,_](?=\d{3})/g, "")) * FACTORS[unit.toLowerCase()];
}

function readSize(text, range) {
  const bytes = bytesOf(text);
  if (!Number.isInteger(bytes)) throw new Wrong("Enter bytes, or a size such as 40k.");
  return within(bytes, range);
}

// [threads, shape or null]
function readShape(text, range) {
  const inBrackets = /^\((.*)\)$/.exec(text); // as Python writes it
  const parts = inBrackets ? inBrackets[1].split(/\s*,\s*/) : /^0x/i.test(text) ? [text] : text.split(/\s*[x×*]\s*/i);
  if (parts.length === 1 && !inBrackets) {
    if (/^\d+,\d+$/.test(text) && !/,0\d\d$/.test(text)) throw new Wrong(`Enter a shape as ${text.replace(",", "x")}.`);
    return [readCount(text, range), null];
  }
  if (parts.length > 3) throw new Wrong("Enter up to three dimensions.");
  const shape = [...parts.map((each) => readCount(each, range)), 1, 1].slice(0, 3);
  return [within(shape[0] * shape[1] * shape[2], range), shape];
}

function readCarveout(text, limits) {
  const plain = text.toLowerCase();
  if (plain === "default" || plain === "auto") return null;
  if (plain === "max") return { amount: 100, unit: "percent" };
  const percent = /^(\d{1,3})\s*(%?)$/.exec(plain);
  if (percent && (percent[2] || Number(percent[1]) <= 100)) return { amount: within(Number(percent[1]), [0, 100]), unit: "percent" };
  const carveout = { amount: readSize(text, SIZES), unit: "bytes" };
  configurationOf(limits, carveout);
  return carveout;
}

const READERS = {
  count(text, input) {
    const number = readCount(text, input.range);
    if (number % (input.multiple)) throw new Wrong(`Enter a multiple of ${input.multiple}.`);
    return { [input.field]: number };
  },
  size: (text, input) => ({ [input.field]: readSize(text, input.range) }),
  shape(text, input) {
    const [threads, shape] = readShape(text, input.range);
    return { threads, block_dim: shape };
  },
  carveout: (text, input, limits) => ({ carveout: readCarveout(text, limits) }),
  flag: (text, input) => ({ [input.field]: oneOf(text, ["yes", "no"]) === "yes" }),
  choice: (text, input) => ({ [input.field]: oneOf(text, input.options) }),
};

function oneOf(text, options) {
  if (!options.includes(text)) throw new Wrong(`Enter ${options.join(" or ")}.`);
  return text;
}

const isOffered = (input, limits) => !input.needs || Boolean(limits[input.needs]);

// {gpu, limits, kernel, model, result, errors} of some fields; kernel and result are null where a field is wrong.
function readQuestion(fields) {
  const gpu = findGpu(fields.gpu ?? "");
  const errors = gpu.error ? { gpu: gpu.error } : {};
  const question = { gpu, limits: limitsOf(gpu.cc), kernel: null, result: null, errors };
  if (gpu.error) return question;
  const { limits } = question;
  const values = {};
  const read = (name, reader) => {
    try {
      reader();
    } catch (error) {
      if (!(error instanceof Wrong || error instanceof Refused)) throw error;
      errors[error.where ? inputOf(error.where).name : name] = error.message;
    }
  };
  for (const input of DATA.inputs) {
    const text = (fields[input.name] ?? "").trim();
    if (!isOffered(input, limits)) continue;
    read(input.name, () => {
      if (text) Object.assign(values, READERS[input.kind](text, input, limits));
      else if (input.field === "threads") throw new Wrong("Enter threads per block, such as 256.");
    });
  }
  if (Object.keys(errors).length) return question;
  read("threads", () => {
    const kernel = kernelOf(values);
    if (/^auto$/i.test(fields.carveout?.trim())) {
      const { smallest } = carveoutAdvice(evaluate(limits, kernel));
      kernel.carveout = smallest && { amount: smallest.shared_memory, unit: "bytes" };
    }
    question.result = evaluate(limits, kernel);
    question.kernel = kernel;
  });
  return question;
}

// The grid on the whole GPU: {errors, sms, wave, waves}.
function readLaunch(fields, question) {
  const errors = {};
  const read = (name, reader) => {
    const text = (fields[name] ?? "").trim();
    try {
      return text ? reader(text) : null;
    } catch (error) {
      if (!(error instanceof Wrong || error instanceof Refused)) throw error;
      errors[error.where ?? name] = error.message;
      return null;
    }
  };
  const shape = (text) => readShape(text, [1, MOST])[1] ?? [readCount(text, [1, MOST]), 1, 1];
  const sms = read("sms", (text) => readCount(text, [1, MOST])) ?? question.gpu.sms;
  const grid = read("grid", shape);
  const cluster = question.limits && isOffered(LAUNCH[2], question.limits) ? read("cluster", shape) : null;
  if ((grid || cluster) && !sms) errors.sms ??= "Enter the number of SMs.";
  if (!sms || !question.result) return { errors, sms, wave: null, waves: null };
  const size = cluster && cluster[0] * cluster[1] * cluster[2];
  const wave = read(size ? "cluster" : "threads", () => fullWave(question.result, sms, size));
  const isDivided = grid && cluster && grid.some((each, axis) => each % cluster[axis]);
  if (isDivided) errors.grid = `Enter a multiple of ${cluster.join(" x ")} clusters.`;
  const waves = grid && wave?.blocks && !isDivided ? countWaves(grid[0] * grid[1] * grid[2], wave) : null;
  return { errors, sms, wave, waves };
}

// Each size as it is written everywhere: 40960 and 40k are 40 KiB.
function inUnits(fields) {
  const units = { ...fields };
  for (const { name, kind } of DATA.inputs) {
    const least = { size: 1024, carveout: 1024 }[kind]; // of a carveout, up to 100 is a share
    const bytes = least && units[name] ? bytesOf(units[name].trim()) : 0;
    if (bytes >= least && bytes <= MOST && bytes % 128 === 0) units[name] = words.size(bytes);
  }
  return units;
}

// The fields' texts for another amount of something.
function fieldsFor(kernel, name, amount) {
  if (name !== "smem") return { [inputOf(name).name]: String(amount) };
  const fixed = kernel?.static_smem ?? 0;
  if (amount >= fixed) return { "dynamic-smem": String(amount - fixed) };
  return { "static-smem": String(amount), "dynamic-smem": kernel.dynamic_smem === null ? "" : "0" };
}

// How far an arrow key or a button goes: the unit in which the GPU allocates.
function stepOf(name, limits) {
  if (name === "threads") return limits.warp_size;
  if (name === "regs") return Math.max(1, limits.register_allocation_unit / limits.warp_size);
  return name.endsWith("smem") ? limits.shared_memory_allocation_unit : 1;
}

function highestOf(name, limits, kernel) {
  if (name === "threads") return limits.max_threads_per_block;
  if (name === "smem") return (kernel.shared_memory_mode && limits.max_oversized_shared_memory_per_block) || limits.max_shared_memory_per_block_optin;
  return limits[HIGHEST[name]];
}

// The next multiple of the unit, upwards or downwards.
function stepped(now, units, unit) {
  const at = units > 0 ? Math.floor(now / unit) : Math.ceil(now / unit);
  return Math.max(0, (at + units) * unit);
}

const COLOUR_OF = { threads: "warps", regs: "registers", "dynamic-smem": "shared_memory", "static-smem": "shared_memory", barriers: "barriers", "tensor-memory": "tensor_memory", "virtual-resources": "tensor_memory" };
const KEYS = { ArrowUp: 1, ArrowDown: -1, PageUp: 8, PageDown: -8 };

class Form {
  constructor(changed) {
    Object.assign(this, { changed, rows: {}, limits: null });
    for (const [at, input] of DATA.inputs.entries()) this.add(at < 4 ? "main" : "more", input);
    for (const input of LAUNCH) this.add("launch", input);
    const gpu = byId("gpu");
    this.rows.gpu = { control: gpu, error: byId("gpu-error"), input: { kind: "name" } };
    this.listen(gpu, { name: "gpu", kind: "name" });
    fill(byId("gpu-names"), [
      [...LIMITS].reverse().map((each) => element("option", { value: each.compute_capability }, familyOf(each))),
      GPUS.map((each) => element("option", { value: each.name }, `${each.cc}, ${each.sms} SMs`)),
    ]);
  }
  add(place, input) {
    const { name, kind } = input;
    const options = { flag: ["yes", "no"], choice: input.options }[kind];
    const isNumber = ["count", "size", "shape"].includes(kind);
    const common = { id: name, name, "aria-describedby": `${name}-help ${name}-error` };
    const control = created(options
      ? element("select", common, ["", ...options].map((value) => element("option", { value }, value || "not given")))
      : element("input", { ...common, type: "text", inputmode: kind === "count" ? "numeric" : "text", spellcheck: "false", autocapitalize: "off", placeholder: "not given" }));
    const error = created(element("p", { id: `${name}-error`, class: "error" }));
    const step = (units, sign) => button(sign, `${name} ${sign}`, () => this.step(input, units), { class: "stepper", "aria-label": `${units > 0 ? "More" : "Less"}: ${input.label}` });
    byId(place).append(created(element(
      "div",
      { class: `field ${COLOUR_OF[name] ?? ""}` },
      element("label", { for: name, title: input.help }, input.label),
      element("div", { class: "box" }, isNumber && step(-1, "−"), control, isNumber && step(1, "+")),
      element("p", { id: `${name}-help`, class: "help" }, input.help),
      error,
    )));
    this.rows[name] = { control, error, input };
    this.listen(control, input);
  }
  listen(control, input) {
    control.addEventListener("input", () => this.changed({ [input.name]: control.value }, true));
    control.addEventListener("change", () => this.changed({ [input.name]: control.value }));
    control.addEventListener("keydown", (event) => {
      if (!KEYS[event.key] || event.altKey || event.ctrlKey || event.metaKey || !["count", "size", "shape", "carveout"].includes(input.kind)) return;
      event.preventDefault();
      this.step(input, KEYS[event.key]);
    });
  }
  // Go to the next value, upwards or downwards, in units of the GPU.
  step(input, units) {
    const text = this.rows[input.name].control.value.trim();
    const range = input.range ?? [1, MOST];
    const limits = this.limits;
    try {
      if (input.kind === "carveout") {
        const sizes = limits.shared_memory_configurations;
        const carveout = text ? readCarveout(text, limits) : null;
        const at = carveout ? sizes.indexOf(configurationOf(limits, carveout)) + Math.sign(units) : sizes.length - 1;
        return this.changed({ [input.name]: words.size(sizes[Math.max(0, Math.min(sizes.length - 1, at))]) });
      }
      const now = text ? (input.kind === "size" ? readSize(text, range) : readShape(text, range)[0]) : 0;
      const unit = input.multiple > 1 ? input.multiple : input.field ? stepOf(input.field, limits) : 1;
      const least = input.field === "threads" || input.multiple > 1 ? unit : range[0];
      this.changed({ [input.name]: String(Math.max(least, Math.min(range[1], stepped(now, units, unit)))) });
    } catch (error) {
      if (!(error instanceof Wrong || error instanceof Refused)) throw error; // no number: it stays
    }
  }
  // Show the fields of a question, with what is wrong in them.
  show(fields, { limits }, errors) {
    this.limits = limits ?? this.limits;
    for (const [name, { control, error, input }] of Object.entries(this.rows)) {
      const value = fields[name] ?? "";
      if (control.value !== value) control.value = value;
      const missing = input.needs && !isOffered(input, this.limits);
      control.disabled = Boolean(missing);
      if (input.kind !== "name" && control.localName === "input") control.placeholder = missing ? `not on ${this.limits.compute_capability}` : "not given";
      control.setAttribute("aria-invalid", errors[name] ? "true" : "false");
      settle(error, errors[name] ?? "");
    }
  }
}
