// The inputs as a link and as a command line.

const PARTS = ["kernel", "bounds", "spills", "gpu", ...DATA.inputs.map((each) => each.name)];
const ALIASES = { cc: "gpu", arch: "gpu", t: "threads", r: "regs", smem: "dynamic-smem", tmem: "tensor-memory" };
const DEFAULT_PINS = "A100,RTX 4090,B200";
const DASHES = ["2 3", "8 3", "9 3 2 3", "1 5", "16 4", "5 2 1 2 1 2"]; // lines of pinned GPUs
const MOST_PINS = DASHES.length;

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
    else if (PARTS.includes(name)) texts[prefix][name] = value.slice(0, 400);
    else unknown.push(given);
  }
  const [fields, kept] = Object.values(texts).map((each) => (Object.values(each).some(Boolean) ? each : null));
  const pinned = pins.split(",").map((each) => each.trim()).filter(Boolean).slice(0, MOST_PINS);
  return { fields, kept, pins: pinned, unknown: unknown.slice(0, 9) };
}

// The valid inputs that the GPU has.
function toCommand(fields, { gpu, limits, errors }) {
  const quoted = (text) => (/^[\w.,%x:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const parts = ["occupancy calc --cc", limits.compute_capability];
  if (gpu.name) parts.splice(0, 2, "occupancy calc --gpu", quoted(fields.gpu.trim()));
  for (const input of DATA.inputs.filter(({ name }) => !errors[name])) {
    const text = textOf(fields, input).replace(/\s|(?<=\d),(?=\d{3})/g, "");
    if (!text || !isOffered(input, limits) || (input.is_launch && errors.sms)) continue;
    if (input.kind === "flag") parts.push(text === "yes" ? `--${input.name}` : `--no-${input.name}`);
    else parts.push(`--${input.name} ${quoted(text)}`);
  }
  return parts.join(" ");
}
