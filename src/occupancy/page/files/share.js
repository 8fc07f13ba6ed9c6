// The inputs as a link, a command line and Python.

const PARTS = ["kernel", "bounds", "spills", "gpu", ...DATA.inputs.map((each) => each.name)];
const ALIASES = { arch: "cc", t: "threads", r: "regs", s: "dynamic-smem", smem: "dynamic-smem", tmem: "tensor-memory" };
const DEFAULT_PINS = "A100,RTX 4090,B200";

function toFragment(fields, kept, pins) {
  const pairs = (texts, prefix, from = inUnits(texts)) => PARTS.filter((name) => from[name]).map((name) => [prefix + name, inputOf(name) ? from[name].replaceAll(" ", "") : from[name]]);
  const pinned = pins.join(",") === DEFAULT_PINS ? [] : [["pins", pins.join(",")]];
  return `#${new URLSearchParams([...pairs(fields, ""), ...pairs(kept ?? {}, "a."), ...pinned])}`;
}

// {fields, kept, pins, unknown}: the texts by the names of their fields, and the names that the page does not have.
function fromFragment(fragment) {
  const texts = { "": {}, "a.": {} };
  const unknown = [];
  let pins = DEFAULT_PINS;
  for (const [given, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const [, prefix, written] = /^((?:a\.)?)(.*)/s.exec(given);
    const name = ALIASES[written] ?? written;
    const flag = DATA.inputs.find((each) => each.kind === "flag" && (name === `no-${each.name}` || (name === each.name && !value)))?.name;
    if (flag) texts[prefix][flag] = flag === name ? "yes" : "no"; // as on the command line
    else if (given === "pins") pins = value;
    else if (PARTS.includes(name) || name === "cc") texts[prefix][name] = value.slice(0, 400);
    else unknown.push(given);
  }
  const [fields, kept] = Object.values(texts).map(withGpu);
  return { fields, kept, pins: pins.split(",").map((each) => each.trim()).filter(Boolean).slice(0, 8), unknown: unknown.slice(0, 9).map((each) => each.slice(0, 60)) };
}

// One field for the GPU; a name that is none of the compute capability beside it gives way.
function withGpu({ cc, ...fields }) {
  if (cc && findGpu(fields.gpu ?? "").cc !== findGpu(cc).cc) fields.gpu = ccOf(cc) ?? cc;
  return Object.values(fields).some(Boolean) ? fields : null;
}

const quoted = (text) => (/^[\w.,%x:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The inputs that count on the GPU, as [input, text].
const givenInputs = (fields, { limits, errors }) => DATA.inputs.map((each) => [each, textOf(fields, each)]).filter(([each, text]) => text && isOffered(each, limits) && !errors[each.name]);

function toCommand(fields, question) {
  const { gpu, limits } = question;
  const parts = ["occupancy calc", gpu.name ? `--gpu ${quoted(fields.gpu.trim())}` : `--cc ${limits.compute_capability}`];
  for (const [input, text] of givenInputs(fields, question)) {
    if (input.kind === "flag") parts.push(text === "yes" ? `--${input.name}` : `--no-${input.name}`);
    else if (!input.is_launch) parts.push(`--${input.name} ${plainText(input, text, question.kernel)}`);
    else if (!question.errors.sms) parts.push(`--${input.name} ${quoted(text.replaceAll(" ", ""))}`);
  }
  return parts.join(" ");
}

// The page reads more than a shell: 27.5 KiB, (16, 16).
function plainText(input, text, kernel) {
  const joined = text.replaceAll(" ", "");
  if (/^[\w.]+%?$/.test(joined)) return joined;
  if (input.kind === "shape") return kernel.block_dim ? kernel.block_dim.join("x") : String(kernel.threads);
  if (input.kind === "carveout") return kernel.carveout ? String(kernel.carveout.amount) : "default";
  return String(kernel[input.field]);
}

function toPython(fields, question) {
  const parts = [JSON.stringify(question.gpu.name ? fields.gpu.trim() : question.limits.compute_capability)];
  for (const [input] of givenInputs(fields, question)) if (!input.is_launch) parts.push(`${input.field}=${pythonValue(input, question.kernel)}`);
  return `import occupancy\n\nprint(occupancy.compute(${parts.join(", ")}))`;
}

function pythonValue({ kind, field }, kernel) {
  const value = kind === "shape" ? kernel.block_dim ?? kernel.threads : kernel[field];
  if (kind === "carveout") return value === null ? '"default"' : value.unit === "percent" ? `"${value.amount}%"` : value.amount;
  if (Array.isArray(value)) return `(${value.join(", ")})`;
  return typeof value === "string" ? `"${value}"` : typeof value === "boolean" ? (value ? "True" : "False") : value;
}
