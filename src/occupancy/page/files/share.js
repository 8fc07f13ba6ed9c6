// The inputs as a link, a command line and Python.

const PARTS = ["kernel", "bounds", "spills", "gpu", ...DATA.inputs.map((each) => each.name)];
const ALIASES = { arch: "cc", t: "threads", r: "regs", s: "dynamic-smem", smem: "dynamic-smem", tmem: "tensor-memory" };
const DEFAULT_PINS = "A100,RTX 4090,B200";
const MOST_PINS = 8;

function toFragment(fields, kept, pins) {
  const pairs = (texts, prefix) => Object.entries(inUnits(texts)).filter(([name, text]) => PARTS.includes(name) && text)
    .map(([name, text]) => [prefix + name, inputOf(name) ? text.replaceAll(" ", "") : text]);
  const pinned = pins.join(",") === DEFAULT_PINS ? [] : [["pins", pins.join(",")]];
  return `#${new URLSearchParams([...pairs(fields, ""), ...pairs(kept ?? {}, "a."), ...pinned])}`;
}

// {fields, kept, pins, unknown}: texts by the names of their fields, and unknown names.
function fromFragment(fragment) {
  const texts = { "": {}, "a.": {} };
  const unknown = [];
  let pins = DEFAULT_PINS;
  for (const [given, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const [, prefix, written] = /^((?:a\.)?)(.*)/s.exec(given);
    const name = ALIASES[written] ?? written;
    if (given === "pins") pins = value;
    else if (PARTS.includes(name) || name === "cc") texts[prefix][name] = value.slice(0, 400);
    else unknown.push(given);
  }
  const [fields, kept] = Object.values(texts).map(withGpu);
  const pinned = pins.split(",").map((each) => each.trim()).filter(Boolean).slice(0, MOST_PINS);
  return { fields, kept, pins: pinned, unknown: unknown.slice(0, 9) };
}

// One field for the GPU. A name with another compute capability than cc is replaced by cc.
function withGpu({ cc, ...fields }) {
  if (cc && findGpu(fields.gpu ?? "").cc !== findGpu(cc).cc) fields.gpu = ccOf(cc) ?? cc;
  return Object.values(fields).some(Boolean) ? fields : null;
}

// [input, text] of the valid inputs that the GPU has, without spaces.
function givenInputs(fields, { limits, errors }) {
  const given = DATA.inputs.map((input) => [input, textOf(fields, input).replace(/\s|(?<=\d),(?=\d{3})/g, "")]);
  return given.filter(([input, text]) => text && isOffered(input, limits) && !errors[input.name]);
}

function toCommand(fields, launch) {
  const quoted = (text) => (/^[\w.,%x:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const { gpu, limits, errors } = launch;
  const parts = ["occupancy calc", gpu.name ? `--gpu ${quoted(fields.gpu.trim())}` : `--cc ${limits.compute_capability}`];
  for (const [{ name: option, kind, is_launch: isLaunch }, text] of givenInputs(fields, launch)) {
    if (kind === "flag") parts.push(text === "yes" ? `--${option}` : `--no-${option}`);
    else if (!isLaunch || !errors.sms) parts.push(`--${option} ${quoted(text)}`);
  }
  return parts.join(" ");
}

function toPython(fields, launch) {
  const literal = (text) => ({ yes: "True", no: "False" })[text] ?? (/^\d+$/.test(text) ? text : `"${text}"`);
  const given = givenInputs(fields, launch).filter(([input]) => !input.is_launch);
  const gpu = JSON.stringify(launch.gpu.name ? fields.gpu.trim() : launch.limits.compute_capability);
  const values = given.map(([{ field }, text]) => `${field}=${literal(text)}`);
  return `import occupancy\n\nprint(occupancy.compute(${[gpu, ...values].join(", ")}))`;
}
