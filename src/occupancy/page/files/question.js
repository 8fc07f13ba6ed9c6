// The question: what is in the fields, as text; and the kernel that it stands for.

const FACTORS = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

class Wrong extends Error {}

function readCount(text, [label, low, high]) {
  const plain = /^\d{1,3}([,_]\d{3})+$/.test(text) ? text.replace(/[,_]/g, "") : text;
  if (!/^(\d{1,12}|0x[0-9a-f]{1,9})$/i.test(plain)) throw new Wrong("Not a whole number.");
  return within(Number(plain), [label, low, high]);
}

function within(number, [, low, high]) {
  if (number < low || number > high) throw new Wrong(`Allowed: ${grouped(low)} to ${grouped(high)}.`);
  return number;
}

function readSize(text, range) {
  const found = /^(\d[\d,_]{0,15}(?:\.\d{1,9})?|0x[0-9a-f]{1,9})\s*(?:([kmg])(?:i?b)?|b|bytes?)?$/i.exec(text);
  const number = found ? found[1].replace(/[,_](?=\d{3})/g, "") : "";
  const bytes = Number(number || NaN) * FACTORS[(found?.[2] ?? "").toLowerCase()];
  if (!Number.isInteger(bytes)) throw new Wrong("Not a size: bytes, or 40k, 27.5 KiB.");
  return within(bytes, range);
}

// The fields with each size as it is written everywhere, so that all say what they are in: 40960 and 40k are 40 KiB.
function inUnits(fields) {
  const found = { ...fields };
  for (const { name, kind } of DATA.inputs) {
    const least = { size: 0, carveout: 101 }[kind]; // of a carveout, up to 100 is a share
    try {
      const bytes = least === undefined ? -1 : readSize(found[name].trim(), DATA.ranges.smem);
      if (bytes >= least) found[name] = words.size(bytes);
    } catch {
      // not given, or not a size: then it stays as it is
    }
  }
  return found;
}

// [threads, shape or null]
function readThreads(text, range) {
  const inBrackets = /^\((.*)\)$/.exec(text); // as Python and our own copies write it
  const parts = inBrackets ? inBrackets[1].split(/\s*,\s*/) : /^0x/i.test(text) ? [text] : text.split(/\s*[x×*]\s*/i);
  if (parts.length === 1 && !inBrackets) return [readCount(text, range), null];
  if (parts.length > 3) throw new Wrong("At most three dimensions.");
  const shape = [...parts.map((each) => readCount(each, range)), 1, 1].slice(0, 3);
  return [within(shape[0] * shape[1] * shape[2], range), shape];
}

function readCarveout(text, limits) {
  const plain = text.toLowerCase();
  if (plain === "default" || plain === "auto") return null;
  if (plain === "max") return new Carveout(100, "percent");
  const percent = /^(\d{1,3})\s*(%?)$/.exec(plain);
  if (percent && (percent[2] || Number(percent[1]) <= 100)) {
    return new Carveout(within(Number(percent[1]), ["", 0, 100]), "percent");
  }
  const bytes = readSize(text, DATA.ranges.smem);
  if (!limits.shared_memory_configurations.includes(bytes)) {
    const sizes = limits.shared_memory_configurations.map((each) => each / 1024);
    throw new Wrong(`Allowed: ${sizes.join(", ")} KiB, or 0 to 100%.`);
  }
  return new Carveout(bytes, "bytes");
}

const READERS = {
  count(text, input) {
    const number = readCount(text, DATA.ranges[input.field]);
    if (number % (input.multiple ?? 1)) throw new Wrong(`Not a multiple of ${input.multiple}.`);
    return { [input.field]: number };
  },
  size: (text, input) => ({ [input.field]: readSize(text, DATA.ranges[input.field]) }),
  shape(text, input) {
    const [threads, shape] = readThreads(text, DATA.ranges[input.field]);
    return { threads, block_dim: shape };
  },
  carveout: (text, input, limits) => ({ carveout: readCarveout(text, limits) }),
  flag: (text, input) => ({ [input.field]: oneOf(text, ["yes", "no"]) === "yes" }),
  choice: (text, input) => ({ [input.field]: oneOf(text, input.options) }),
};

function oneOf(text, options) {
  if (!options.includes(text)) throw new Wrong(`Allowed: ${options.join(", ")}.`);
  return text;
}

const isOffered = (input, limits) => !input.needs || Boolean(limits[input.needs]);

// What the fields say: {limits, kernel, model, answer, errors}; kernel and answer are null where a field is wrong.
function readQuestion(fields) {
  const limits = chipOf(fields.cc);
  const errors = {};
  const values = {};
  for (const input of DATA.inputs) {
    const text = (fields[input.name] ?? "").trim();
    if (!isOffered(input, limits)) continue;
    try {
      if (text) Object.assign(values, READERS[input.kind](text, input, limits));
      else if (input.field === "threads") throw new Wrong("How many threads has a block?");
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      errors[input.name] = error.message;
    }
  }
  const model = fields.model && modelsOf(limits).includes(fields.model) ? fields.model : defaultModel(limits);
  const question = { limits, model, kernel: null, answer: null, errors };
  if (!Object.keys(errors).length) {
    const kernel = made(Kernel, values);
    try {
      if (/^auto$/i.test(fields.carveout?.trim())) {
        const { smallest } = carveoutAdvice(evaluate(limits, kernel, model));
        kernel.carveout = smallest && new Carveout(smallest.shared_memory, "bytes");
      }
      question.answer = evaluate(limits, kernel, model);
      question.kernel = kernel;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      errors[DATA.inputs.find((each) => each.field === error.where).name] = `${error.problem}. ${error.allowed && `Allowed: ${error.allowed}.`}`;
    }
  }
  return question;
}

const modelsOf = (limits) => Object.keys(MODELS).filter((name) => MODELS[name].supports(limits));

// The launch: how the grid runs, or null where nothing is known of it.
function readLaunch(fields, question) {
  const errors = {};
  const read = (name, reader) => {
    const text = (fields[name] ?? "").trim();
    try {
      return text ? reader(text) : null;
    } catch (error) {
      errors[name] = error.message;
      return null;
    }
  };
  const whole = ["", 1, 2 ** 31 - 1];
  const sms = read("sms", (text) => readCount(text, whole));
  const shape = (text) => {
    const [count, dimensions] = readThreads(text, whole);
    return dimensions ?? [count, 1, 1];
  };
  const grid = read("grid", shape);
  const cluster = question.limits.max_portable_cluster_size ? read("cluster", shape) : null;
  if (grid && !sms) errors.sms ??= "Needed for the waves of the grid.";
  if (cluster && !sms) errors.sms ??= "Needed for the clusters.";
  if (!sms || !question.answer) return { errors, wave: null, run: null };
  try {
    const size = cluster && cluster[0] * cluster[1] * cluster[2];
    const wave = fullWave(question.answer, sms, size);
    if (grid && cluster && grid.some((each, axis) => each % cluster[axis])) {
      throw new Wrong(`Not a whole number of clusters of ${cluster.join(" x ")}.`);
    }
    const run = grid && wave.blocks ? countWaves(new Launch(question.kernel, grid, cluster), wave) : null;
    return { errors, wave, run };
  } catch (error) {
    if (error instanceof Wrong) errors.grid = error.message;
    else if (error instanceof InputError) errors.cluster = `${error.problem}. Allowed: ${error.allowed}.`;
    else throw error;
    return { errors, wave: null, run: null };
  }
}

// The kernel with another amount of something; shared memory as one sum, threads without a shape.
function altered(kernel, name, amount) {
  const changes = { [name]: amount };
  if (name === "smem") Object.assign(changes, { static_smem: null, dynamic_smem: null });
  if (name === "threads") changes.block_dim = null;
  return py.copy(kernel, changes);
}

// The same for one value after another, in one object: the charts ask for thousands.
function altering(kernel, name) {
  const found = altered(kernel, name, 0);
  return (amount) => {
    found[name] = amount;
    return found;
  };
}

// The fields' texts for the same change.
function fieldsFor(kernel, name, amount) {
  if (name !== "smem") return { [DATA.inputs.find((each) => each.field === name).name]: String(amount) };
  const fixed = kernel?.static_smem ?? 0;
  if (amount >= fixed) return { "dynamic-smem": String(amount - fixed) };
  return { "static-smem": String(amount), "dynamic-smem": kernel.dynamic_smem === null ? "" : "0" };
}

// How far the arrow keys go: the unit in which the chip allocates.
function stepOf(name, limits) {
  if (name === "threads") return limits.warp_size;
  if (name === "regs") return Math.max(1, limits.register_allocation_unit / limits.warp_size);
  if (name.endsWith("smem")) return limits.shared_memory_allocation_unit;
  return 1;
}

function highestOf(name, limits, kernel) {
  if (name === "threads") return limits.max_threads_per_block;
  if (name === "smem") return (kernel.shared_memory_mode && limits.max_oversized_shared_memory_per_block) ?? limits.max_shared_memory_per_block_optin;
  return limits[QUANTITIES[name].most];
}
