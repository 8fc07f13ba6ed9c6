// Kernels in what people paste: the compiler's lines, cuobjdump's listing, or our own JSON.

const MAX_PASTED = 2 ** 21;
const MAX_KERNELS = 500;

// [{name, arch, fields}], the fields as texts; whatever is not understood gives none.
function readPasted(text) {
  const whole = text.slice(0, MAX_PASTED).trim();
  const found = whole.startsWith("{") ? fromJson(whole) : /\bREG:\d/.test(whole) ? fromListing(whole) : fromCompiler(whole);
  return found.slice(0, MAX_KERNELS);
}

const first = (pattern, text) => pattern.exec(text)?.[1];

function fromCompiler(text) {
  const found = [];
  let name = "";
  let arch = null;
  for (const line of text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").split("\n")) {
    const entry = /Compiling entry function\s+['‘’`"](.{1,4000})['‘’´"]\s+for\s+['‘’`"](sm_\w+)['‘’´"]/.exec(line);
    const used = /\b[Uu]sed (\d{1,12}) registers(.*)/.exec(line);
    if (entry) [, name, arch] = entry;
    else if (used) {
      const smem = /(\d{1,12})(?:\+(\d{1,12}))? bytes smem/.exec(used[2]);
      const barriers = first(/used (\d{1,12}) barriers/, used[2]);
      found.push({
        name: name || "kernel",
        arch,
        fields: {
          regs: used[1],
          "static-smem": smem ? String(Number(smem[1]) + Number(smem[2] ?? 0)) : "0",
          ...(barriers === undefined ? {} : { barriers }),
        },
      });
      [name, arch] = ["", null];
    }
  }
  return found;
}

function fromListing(text) {
  const found = [];
  let name = "";
  let arch = null;
  for (const line of text.split("\n")) {
    arch = first(/^\s*arch\s*=\s*(sm_\w+)/, line) ?? arch;
    name = first(/^\s*Function (.{1,4000}):\s*$/, line) ?? name;
    const registers = first(/^\s*REG:(\d{1,12})\s/, line);
    if (registers === undefined || !name || !line.includes("CONSTANT[0]:")) continue; // device functions have rows, too
    const shared = Number(first(/\bSHARED:(\d{1,12})/, line) ?? 0);
    const reserved = chipOf(ccOf(arch))?.compute_capability.major >= 9 && shared >= 1024 ? 1024 : 0;
    found.push({ name, arch, fields: { regs: registers, "static-smem": String(shared - reserved) } });
    name = "";
  }
  return found;
}

// The question of `calc`, or the kernels of `scan`.
function fromJson(text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return [];
  }
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (Array.isArray(report?.kernels)) {
    return report.kernels.filter(isObject).map((each) => ({ name: String(each.demangled ?? each.name), arch: String(each.cc ?? each.arch), fields: fieldsOf(each) }));
  }
  if (!isObject(report?.inputs)) return [];
  const { chips } = report;
  return (Array.isArray(chips) ? chips.filter(isObject) : [report]).map(({ cc, gpu, model, full_wave: wave, waves, what_if: limits }) => {
    const fields = { kernel: "", ...fieldsOf(report.inputs), model: model === "spreadsheet" ? "spreadsheet" : "" };
    if (isObject(wave)) Object.assign(fields, { sms: String(wave.multiprocessor_count), cluster: String(wave.cluster_size ?? "") });
    if (Array.isArray(waves?.grid_dim)) fields.grid = waves.grid_dim.map(Number).join("x");
    const inputs = Object.entries(report.inputs).filter(([name, value]) => value !== null && !HAS.has(name));
    const left = [...inputs, ...Object.entries(isObject(limits) ? limits : {})].map((each) => each.map(String).join(" = "));
    return { name: chips ? `the question on ${gpu ?? cc}` : "the question of the JSON", arch: String(cc ?? ""), fields, left };
  });
}

const HAS = new Set([...DATA.inputs.map((each) => each.field), "smem", "block_dim"]);

// What of kernels is not taken over, in sentences.
function leftOut(kernels) {
  const said = kernels.flatMap(({ arch, left = [] }) => [
    left.length && `Not taken over, because the page has no field for it: ${left.join(", ").slice(0, 500)}.`,
    ccOf(arch) && !chipOf(ccOf(arch)) && `The page has no chip ${ccOf(arch)}.`,
  ]);
  return [...new Set(said)].filter(Boolean);
}

// The texts of the fields; what a scan does not know stays as it is.
function fieldsOf(values) {
  const fields = {};
  for (const input of DATA.inputs) {
    const value = values[input.field];
    if (value === null || typeof value === "object") fields[input.name] = "";
    else if (value !== undefined) fields[input.name] = typeof value === "boolean" ? (value ? "yes" : "no") : String(value).slice(0, 100);
  }
  if (!fields.threads) delete fields.threads;
  if (Array.isArray(values.block_dim)) fields.threads = values.block_dim.map(Number).join("x");
  if (typeof values.smem === "number") fields["dynamic-smem"] = String(values.smem);
  return fields;
}

// sm_90a -> 9.0
function ccOf(arch) {
  const found = /^(?:sm_)?(\d{1,2})\.?(\d)[af]?$/.exec(arch ?? "");
  return found ? `${found[1]}.${found[2]}` : null;
}
