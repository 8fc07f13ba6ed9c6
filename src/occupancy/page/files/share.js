// The inputs as a link, a command line and Python.
const PARTS = ["kernel", "bounds", "spills", "gpu", ...DATA.inputs.map((each) => each.name)];
const ALIASES = { cc: "gpu", arch: "gpu", t: "threads", r: "regs", smem: "dynamic-smem", tmem: "tensor-memory" };
const DEFAULT_PINS = "A100,GeForce RTX 4090";
const DASHES = ["2 3", "8 3", "9 3 2 3", "20 4", "3 9", "9 2 2 2 2 2"]; // lines of pinned GPUs
const MOST_PINS = DASHES.length;
// As options take it: without spaces, and 1,000 bytes as 1000.
const plain = (text) => text.replace(/\s|,(?=.*bytes)|bytes?/g, "");
function toFragment(fields, kept, pins) {
  const pairs = (texts, prefix) => Object.entries(inUnits(texts)).filter(([name, text]) => PARTS.includes(name) && text)
    .map(([name, text]) => [prefix + name, inputOf(name) ? plain(text) : text]);
  const pinned = pins.join(",") === DEFAULT_PINS ? [] : [["pins", pins.join(",")]];
  return `#${new URLSearchParams([...pairs(fields, ""), ...pairs(kept ?? {}, "a."), ...pinned])}`;
}
// {fields, kept, pins, unknown}: texts by the names of their fields, and unknown names.
function fromFragment(fragment) {
  const texts = { "": {}, "a.": {} }, unknown = [];
  let pins = DEFAULT_PINS;
  for (const [given, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const [, prefix, written] = /^((?:a\.)?)(.*)/s.exec(given);
    const name = ALIASES[written] ?? written;
    if (given === "pins") pins = value;
    else if (PARTS.includes(name)) texts[prefix][name] = value.slice(0, 9999);
    else unknown.push(given);
  }
  const [fields, kept] = Object.values(texts).map((each) => (Object.values(each).some(Boolean) ? each : null));
  const pinned = [...new Set(pins.split(",").map(fullNameOf).filter(Boolean))].slice(0, MOST_PINS);
  return { fields, kept, pins: pinned, unknown: unknown.slice(0, 9) };
}
// [input, text] of the given inputs. Launch bounds give the largest block.
function givenInputs({ bounds = "", ...fields }) {
  const texts = DATA.inputs.map((input) => [input, plain(textOf(fields, input))]);
  const most = [{ name: "max-threads", field: "max_threads" }, first(/^(\d+)/, bounds)];
  return [...texts, most].filter(([, text]) => text);
}
function toCommand({ fields, gpu, limits }) {
  const quoted = (text) => (/^[\w.,%x:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const options = givenInputs(fields).map(([{ name, kind }, text]) =>
    (kind === "flag" ? `--${text === "yes" ? "" : "no-"}${name}` : `--${name} ${quoted(text)}`));
  const place = gpu.name ? `--gpu ${quoted(fields.gpu.trim())}` : `--cc ${limits.compute_capability}`;
  return ["occupancy calc", place, ...options].join(" ");
}
function toPython({ fields, gpu, limits, waves }) {
  const literal = (text) => ({ yes: "True", no: "False" })[text] ?? (/^\d+$/.test(text) ? text : JSON.stringify(text));
  const valuesOf = (isLaunch) => givenInputs(fields).filter(([{ name }]) => /^(sms|grid)$/.test(name) === isLaunch)
    .map(([{ field }, text]) => `${field}=${literal(text)}`);
  const place = JSON.stringify(gpu.name ? fields.gpu.trim() : limits.compute_capability);
  const lines = ["import occupancy", "", `result = occupancy.compute(${[place, ...valuesOf(false)].join(", ")})`];
  if (waves) lines.push(`print(result.waves(${valuesOf(true).join(", ")}))`);
  return [...lines, "print(result)"].join("\n");
}
