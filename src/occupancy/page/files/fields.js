// The fields: their texts, and the kernel and grid in them. The table of inputs comes from Python.
const FACTORS = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
const MOST = 2 ** 31 - 1;
const inputOf = (name) => DATA.inputs.find((each) => each.name === name);
const textOf = (fields, { name }) => (fields[name] ?? "").trim();
function readCount(text, range) {
  const plain = /^\d{1,3}([,_]\d{3})+$/.test(text) ? text.replace(/[,_]/g, "") : text;
  return within(/^(\d{1,12}|0x[0-9a-f]{1,9})$/i.test(plain) ? Number(plain) : NaN, range);
}
function within(number, [low, high]) {
  if (number >= low && number <= high) return number;
  const isOpen = high >= MOST && !(number > high);
  throw new Refused(`Enter a whole number, ${isOpen ? `${low} or more` : `${grouped(low)} to ${grouped(high)}`}.`);
}
// Bytes of a size such as 27.5k or 3*16k+16; NaN if invalid.
function bytesOf(text) {
  const size = /^\s*(\d[\d,_]{0,15}(?:\.\d{1,9})?|0x[0-9a-f]{1,9})\s*(?:([kmg])(?:i?b)?|b|bytes?)?\s*$/i;
  const factorOf = (part) => {
    const [, number = "none", unit = ""] = size.exec(part) ?? [];
    return Number(number.replace(/[,_](?=\d{3})/g, "")) * FACTORS[unit.toLowerCase()];
  };
  const termOf = (part) => part.split(/[*×]/).map(factorOf).reduce((one, other) => one * other);
  return text.split("+").map(termOf).reduce((one, other) => one + other);
}
function readSize(text, range) {
  const bytes = bytesOf(text);
  const advice = bytes ? "Enter a whole number of bytes." : "Enter bytes, or a size such as 40k.";
  if (!Number.isInteger(bytes)) throw new Refused(advice);
  return within(bytes, range);
}
function readShape(text, range) {
  if (/^[\d_\s,]*,\s*[1-9][\d_\s,]*$/.test(text)) throw new Refused("Write a shape as 16x16."); // unlike 1,024
  const inBrackets = /^(?:dim3)?\s*\((.*)\)$/.exec(text); // as Python and CUDA write it
  const parts = inBrackets ? inBrackets[1].split(/\s*,\s*/) : text.split(/\s*[x×*]\s*/i);
  if (parts.length === 1 && !inBrackets) return [readCount(text, range), null];
  if (parts.length > 3) throw new Refused("Enter up to three dimensions.");
  const shape = [...parts.map((each) => readCount(each, range)), 1, 1].slice(0, 3);
  return [within(shape[0] * shape[1] * shape[2], range), shape];
}
function readCarveout(text) {
  const plain = text.toLowerCase();
  if (plain === "max") return { amount: 100, unit: "percent" };
  const percent = /^(\d{1,3})\s*%$|^(\d\d?|100)$/.exec(plain);
  if (percent) return { amount: within(Number(percent[1] ?? percent[2]), [0, 100]), unit: "percent" };
  if (Number.isNaN(bytesOf(plain))) throw new Refused("Enter a percentage, a size or max.");
  return { amount: readSize(text, [0, MOST]), unit: "bytes" };
}
const READERS = {
  count(text, input) {
    const number = readCount(text, input.range);
    if (number % input.multiple) throw new Refused(`Enter a multiple of ${input.multiple}.`);
    return { [input.field]: number };
  },
  size: (text, input) => ({ [input.field]: readSize(text, input.range) }),
  shape(text, input) {
    const [number, shape] = readShape(text, input.range);
    if (input.name === "threads") return { threads: number, block_dim: shape };
    return { [input.field]: shape ?? [number, 1, 1] };
  },
  carveout: (text) => ({ carveout: readCarveout(text) }),
  choice(text, { field, kind, options }) {
    if (!options.includes(text)) throw new Refused(`Enter ${options.join(" or ")}.`);
    return { [field]: kind === "flag" ? text === "yes" : text };
  },
};
READERS.flag = READERS.choice;
const isOffered = (input, limits) => !input.needs || Boolean(limits[input.needs]);
const product = ([x, y, z]) => x * y * z;
// {fields, gpu, limits, kernel, result, errors, sms, cluster, wave, waves}; the result is null after an error.
function readLaunch(fields) {
  const gpu = findGpu(fields.gpu ?? "");
  const limits = limitsOf(gpu.cc, fields.bounds) ?? LIMITS[LIMITS.length - 1]; // of any GPU, to check the other fields
  const errors = gpu.error ? { gpu: gpu.error } : {};
  const launch = { fields: { ...fields }, gpu, limits, errors, result: null, wave: null, waves: null };
  const read = (name, reader) =>
    attempt(reader, ({ where, message }) => (errors[where?.replaceAll("_", "-") ?? name] = message));
  const values = {};
  for (const input of DATA.inputs) {
    const text = textOf(fields, input);
    if (text) read(input.name, () => Object.assign(values, READERS[input.kind](text, input)));
    else if (input.name === "threads") errors.threads = "Enter threads per block, such as 256.";
  }
  const { multiprocessor_count: sms = gpu.sms, grid = null, cluster = null, ...amounts } = values;
  Object.assign(launch, { sms, cluster: cluster && product(cluster) });
  const isUneven = grid && cluster && grid.some((each, axis) => each % cluster[axis]);
  if (isUneven) errors.grid = `Not a multiple of the cluster, ${cluster.join(" x ")}.`;
  if (Object.keys(errors).length) return launch;
  read("threads", () => {
    const result = evaluate(limits, kernelOf(amounts));
    const wave = fullWave(result, sms ?? 1, launch.cluster);
    Object.assign(launch, { result, kernel: result.kernel, wave: sms ? wave : null });
  });
  if (grid && launch.wave?.blocks) launch.waves = countWaves(product(grid), launch.wave);
  if ((grid || cluster) && !sms) errors.sms = "Enter the number of SMs."; // the result stays
  return launch;
}
// Write sizes with their unit, and GPUs by their names: 40960 and 40k become 40 KiB.
function inUnits(fields) {
  const units = { ...fields };
  if (units.gpu) units.gpu = findGpu(units.gpu).name ?? units.gpu;
  for (const { name, kind } of DATA.inputs) {
    const least = { size: 1, carveout: 1024 }[kind]; // of a carveout, up to 100 is a share
    const bytes = least && units[name] ? bytesOf(units[name].trim()) : 0;
    if (bytes >= least && bytes <= MOST && Number.isInteger(bytes)) units[name] = words.size(bytes);
  }
  return units;
}
// Static shared memory, unless the compiler rejects it.
const fixedMemory = (launch) => (launch.kernel && !hasTooMuchStatic(launch) ? launch.kernel.static_smem ?? 0 : 0);
function fieldsFor({ limits, kernel }, name, amount) {
  if (name !== "smem") return { [name.replaceAll("_", "-")]: amount === true ? "yes" : String(amount) };
  const fixed = fixedMemory({ limits, kernel }), dynamic = { "dynamic-smem": String(amount - fixed) };
  if (amount >= fixed) return kernel?.static_smem > fixed ? { "static-smem": "0", ...dynamic } : dynamic;
  return { "static-smem": String(amount), "dynamic-smem": kernel.dynamic_smem === null ? "" : "0" };
}
const KEYS = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 }; // units of an input
function stepOf(name, limits) {
  if (name === "threads") return limits.warp_size;
  if (name === "regs") return Math.max(1, limits.register_allocation_unit / limits.warp_size);
  return name.endsWith("smem") ? 1024 : 1;
}
const stepped = (now, units, unit) =>
  Math.max(0, ((units > 0 ? Math.floor : Math.ceil)(now / unit) + units) * unit);
function nextText(input, text, units, limits) {
  if (input.kind === "carveout") {
    const sizes = limits.shared_memory_configurations;
    const at = sizes.indexOf(configurationOf(limits, text ? readCarveout(text) : null)) + Math.sign(units);
    return words.size(sizes[Math.max(0, Math.min(sizes.length - 1, at))]);
  }
  const now = input.kind === "size" ? readSize(text || "0", input.range) : text ? readShape(text, input.range)[0] : 0;
  const unit = input.multiple > 1 ? input.multiple : stepOf(input.field, limits);
  const least = input.name === "threads" || input.multiple > 1 ? unit : input.range[0];
  return String(Math.max(least, Math.min(input.range[1], stepped(now, units, unit))));
}
function showFields(fields, limits, { errors, kernel, limits: own }) {
  const needsCall = kernel && kernel.opt_in === null && needsOptIn(own, kernel);
  const isAlone = !own.tensor_memory_per_multiprocessor || fields["tensor-memory"];
  for (const input of [{ name: "gpu" }, ...DATA.inputs]) {
    const [control, value] = [byId(input.name), fields[input.name] ?? ""];
    if (control.value !== value && (input.kind || control !== document.activeElement)) control.value = value;
    control.closest(".field").hidden = !isOffered(input, limits) && !value;
    control.setAttribute("aria-invalid", String(input.name in errors));
    const bytes = input.kind === "size" ? bytesOf(value) : 0;
    const convert = () => app.change({ [input.name]: `${bytes}k` });
    const remark = {
      threads: fields.bounds && `Launch bounds: ${fields.bounds}`,
      regs: value ? fields.spills && `Spill stores/loads: ${fields.spills}` : "Not given: 0 assumed.",
      "dynamic-smem": needsCall ? "Opt in: cudaFuncSetAttribute."
        : fields.kernel && !value && `Not recorded${isAlone ? ": enter it if used" : ", nor is tensor memory"}.`,
    }[input.name] || (bytes > 0 && bytes < 1024 && button(`${bytes} bytes. Make it KiB`, convert, { class: "link" }));
    fill(byId(`${input.name}-error`), [errors[input.name] ?? remark]);
    byId(`${input.name}-error`).className = remark && !(input.name in errors) ? "remark" : "error";
  }
}
