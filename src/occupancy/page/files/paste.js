// Kernels in what people paste or drop: ptxas lines, cuobjdump listings, Nsight's CSV, and JSON of calc or scan.

const MAX_PASTED = 2 ** 22;
const MAX_KERNELS = 500;

// [{name, arch, fields, spills}], the fields as texts; nothing of what is not understood.
function readPasted(text) {
  const whole = text.slice(0, MAX_PASTED).trim();
  const read = whole.startsWith("{") ? fromJson : /"Kernel Name"/.test(whole) ? fromNsight : /\bREG:\d/.test(whole) ? fromListing : fromCompiler;
  return read(whole).slice(0, MAX_KERNELS).map((each) => ({ ...each, name: demangled(each.name) }));
}

const first = (pattern, text) => pattern.exec(text)?.[1];

function fromCompiler(text) {
  const kernels = [];
  let [name, arch, spills] = ["", null, ""];
  for (const line of text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").split("\n")) {
    const entry = /Compiling entry function\s+['‘’`"](.{1,4000})['‘’´"]\s+for\s+['‘’`"](sm_\w+)['‘’´"]/.exec(line);
    const used = /\b[Uu]sed (\d{1,12}) registers(.*)/.exec(line);
    const [, stores, loads] = /(\d{1,12}) bytes spill stores, (\d{1,12}) bytes spill loads/.exec(line) ?? [];
    if (entry) [, name, arch] = entry;
    else if (stores) spills = Number(stores) + Number(loads) ? `${grouped(stores)} B stores, ${grouped(loads)} B loads` : "";
    else if (used) {
      const smem = /(\d{1,12})(?:\+(\d{1,12}))? bytes smem/.exec(used[2]);
      const fields = { regs: used[1], "static-smem": smem ? String(Number(smem[1]) + Number(smem[2] ?? 0)) : "0", barriers: first(/used (\d{1,12}) barriers/, used[2]) ?? "" };
      kernels.push({ name: name || "kernel", arch, spills, fields });
      [name, arch, spills] = ["", null, ""];
    }
  }
  return kernels;
}

function fromListing(text) {
  const kernels = [];
  let [name, arch] = ["", null];
  for (const line of text.split("\n")) {
    arch = first(/^\s*arch\s*=\s*(sm_\w+)/, line) ?? arch;
    name = first(/^\s*Function (.{1,4000}):\s*$/, line) ?? name;
    const registers = first(/^\s*REG:(\d{1,12})\s/, line);
    if (registers === undefined || !name || !line.includes("CONSTANT[0]:")) continue; // device functions have rows, too
    const shared = Number(first(/\bSHARED:(\d{1,12})/, line) ?? 0);
    const reserved = limitsOf(ccOf(arch))?.version >= 90 && shared >= 1024 ? 1024 : 0;
    kernels.push({ name, arch, spills: "", fields: { regs: registers, "static-smem": String(shared - reserved) } });
    name = "";
  }
  return kernels;
}

// Cells of CSV: quotes around all, two of them for one.
const cellsOf = (line) => [...line.matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,)(?=,|$)/g)].map(([, quotedCell, plain]) => (quotedCell ?? plain ?? "").replaceAll('""', '"'));

const NSIGHT = {
  regs: ["launch__registers_per_thread", "Registers Per Thread"],
  "static-smem": ["launch__shared_mem_per_block_static", "Static Shared Memory Per Block"],
  "dynamic-smem": ["launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block"],
};
const DECIMAL = { K: 1e3, M: 1e6, G: 1e9 };

// The details page rounds: the roundest number within half of the last digit.
function roundest(value, half) {
  let unit = 2 ** 20;
  while (unit > 1 && Math.abs(Math.round(value / unit) * unit - value) > half) unit /= 2;
  return Math.round(value / unit) * unit;
}

// The raw page has a column for each metric and its units in a second row; the details page has a row for each.
function fromNsight(text) {
  const kernels = new Map();
  let [head, units] = [null, null];
  const shape = (cell) => (cell ?? "").match(/\d+/g)?.join("x").replace(/(x1)+$/, "") ?? "";
  for (const line of text.split("\n").filter((each) => each.startsWith('"'))) {
    const cells = cellsOf(line.trim());
    if (cells[0] === "ID") [head, units] = [cells, null];
    else if (head && !cells[0]) units = cells;
    if (!head || !/^\d+$/.test(cells[0])) continue;
    const cell = (name) => cells[head.indexOf(name)];
    const kernel = kernels.get(cells[0]) ?? { name: cell("Kernel Name"), arch: cell("CC"), spills: "", fields: { threads: shape(cell("Block Size")), grid: shape(cell("Grid Size")) } };
    kernels.set(cells[0], kernel);
    const take = (name, value, unit = "") => {
      const factor = DECIMAL[/^([KMG])byte/.exec(unit)?.[1]] ?? 1;
      if (value) kernel.fields[name] = String(roundest(Number(value.replaceAll(",", "")) * factor, (factor / 2) * 10 ** -(value.split(".")[1]?.length ?? 0)));
    };
    for (const [name, [metric, label]] of Object.entries(NSIGHT)) {
      if (head.includes("Metric Name")) {
        if (cell("Metric Name") === label) take(name, cell("Metric Value"), cell("Metric Unit"));
      } else take(name, cell(metric), units?.[head.indexOf(metric)]);
    }
  }
  return [...kernels.values()];
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
  const rows = [report?.kernels, report?.rows, report?.results].find(Array.isArray) ?? (isObject(report?.inputs) ? [report] : []);
  return rows.filter(isObject).map((row) => ({
    name: [row.demangled, row.name, row.kernel].find((each) => typeof each === "string") ?? "inputs",
    arch: String(row.cc ?? row.arch ?? ""),
    spills: row.spill_store_bytes ? `${grouped(row.spill_store_bytes)} B stores` : "",
    fields: fieldsIn({ ...row, ...(isObject(report.inputs) ? report.inputs : {}), ...(isObject(row.inputs) ? row.inputs : {}) }),
  }));
}

function fieldsIn(values) {
  const fields = {};
  for (const input of DATA.inputs) {
    const value = values[input.field];
    if (typeof value === "boolean") fields[input.name] = value ? "yes" : "no";
    else if (typeof value === "number" || typeof value === "string") fields[input.name] = String(value).slice(0, 100);
  }
  if (Array.isArray(values.block_dim)) fields.threads = values.block_dim.map(Number).join("x");
  if (typeof values.smem === "number") fields["dynamic-smem"] = String(values.smem);
  return fields;
}

const TYPES = { b: "bool", c: "char", h: "unsigned char", i: "int", j: "unsigned int", l: "long", f: "float", d: "double" };

// _ZN3img9histogramILi64EEEvPfi -> img::histogram<64>. A template's arguments end at the first that is not simple.
function demangled(name) {
  let rest = /^_ZN?(.*)/s.exec(name)?.[1] ?? "";
  const take = (pattern) => {
    const found = pattern.exec(rest);
    rest = rest.slice(found?.[0].length ?? 0);
    return found;
  };
  const source = () => {
    const length = Number(take(/^\d+/)?.[0] ?? 0);
    const text = rest.slice(0, length);
    rest = rest.slice(length);
    return text.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : text;
  };
  const argument = () => take(/^L[a-z](n?\d+)E/)?.[1].replace("n", "-") ?? TYPES[take(/^[bchijlfd]/)?.[0]] ?? source();
  const all = (read) => {
    const found = [];
    for (let each = read(); each; each = read()) found.push(each);
    return found;
  };
  const path = all(source).join("::") || name;
  if (!take(/^I/)) return path;
  return `${path}<${[...all(argument), ...(take(/^E/) ? [] : ["..."])].join(", ")}>`;
}
