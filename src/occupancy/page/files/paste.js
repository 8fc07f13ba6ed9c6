// Kernels in pasted text: ptxas -v, cuobjdump -res-usage, Nsight Compute's CSV, JSON of calc and scan.
const MAX_PASTED = 2 ** 22;
const MAX_KERNELS = 500;
// [{name, arch, fields}], the fields as texts. Other text is skipped.
function readPasted(text) {
  const read = /^\s*\{/.test(text) ? fromJson : text.includes('"Kernel Name"') ? fromNsight : fromCompiler;
  return read(text.slice(0, MAX_PASTED)).map(({ name, ...rest }) => ({ ...rest, title: name, name: demangled(name) }));
}
const first = (pattern, text) => pattern.exec(text)?.[1];
const spillsText = (stores, loads) => (stores || loads ? `${grouped(stores)}/${grouped(loads)} B` : "");
function fromCompiler(text) {
  const kernels = [];
  let [name, arch, spills] = ["", null, ""];
  const add = (fields) => {
    kernels.push({ name: name || "kernel", arch, fields });
    [name, spills] = ["", ""];
  };
  for (const line of text.replaceAll("\xa0", " ").replace(/\x1b\[[\d;]*[A-Za-z]/g, "").split(/\n|\\n|(?=ptxas info)/)) {
    const entry = /Compiling entry function\s+\W(.{1,4000})\W\s+for\s+\W(sm_\w+)\W/.exec(line); // any quotes
    const [, stores, loads] = /(\d{1,12}) bytes spill stores, (\d{1,12}) bytes spill loads/.exec(line) ?? [];
    const [, used, rest] = /\b[Uu]sed (\d{1,12}) registers(.*)/.exec(line) ?? [];
    const [, listed, shared] = /^\s*REG:(\d{1,12})\s.*\bSHARED:(\d{1,12})\b.*CONSTANT\[0\]:/.exec(line) ?? [];
    name = entry?.[1] ?? first(/^\s*Function (.{1,4000}):\s*$/, line) ?? name;
    arch = entry?.[2] ?? first(/^\s*arch\s*=\s*(sm_\w+)/, line) ?? arch;
    if (stores) spills = spillsText(Number(stores), Number(loads));
    if (used) {
      const [, own = 0, more = 0] = /(\d{1,12})(?:\+(\d{1,12}))? bytes smem/.exec(rest) ?? [];
      const barriers = first(/used (\d{1,12}) barriers/, rest);
      const isCut = /(,|\d|used|bytes|cumulative|stack)\s*$/.test(rest); // a wrapped line
      add({ regs: used, "static-smem": isCut ? "" : String(Number(own) + Number(more)), barriers, spills });
    }
    if (listed) {
      const reserved = limitsOf(ccOf(arch))?.version >= 90 && shared >= 1024 ? 1024 : 0;
      add({ regs: listed, "static-smem": String(shared - reserved) });
    }
  }
  return kernels;
}
// Cells of a CSV line; a doubled quote in a quoted cell is one quote.
function cellsOf(line) {
  const cells = line.trim().matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,)(?=,|$)/g);
  return [...cells].map(([, quotedCell, plain]) => (quotedCell ?? plain ?? "").replaceAll('""', '"'));
}
// A number with its unit. The details page rounds it, so this takes the roundest number within half a digit.
function amountIn([value, unit = ""] = []) {
  if (!/^(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/.test(value)) return ""; // 8,19 of other languages
  const factor = { K: 1e3, M: 1e6, G: 1e9 }[first(/^([KMG])byte/, unit)] ?? 1;
  const exact = Number(value.replaceAll(",", "")) * factor;
  const half = (factor / 2) * 10 ** -(value.split(".")[1]?.length ?? 0);
  let step = 2 ** 20;
  while (step > 1 && Math.abs(Math.round(exact / step) * step - exact) > half) step /= 2;
  return String(Math.round(exact / step) * step);
}
// The raw page has one column per metric, and units in the second row. The details page has one row per metric.
function fromNsight(text) {
  const kernels = {}; // by their IDs: the cell and its unit by the name of the metric
  let [head, units] = [[], []];
  for (const line of text.split("\n").filter((each) => each.startsWith('"'))) {
    const cells = cellsOf(line);
    if (cells[0] === "ID") [head, units] = [cells, []];
    else if (!cells[0]) units = cells;
    else if (head.length) {
      const metrics = (kernels[`#${cells[0]}`] ??= {});
      head.forEach((name, at) => (metrics[name] = [cells[at], units[at]]));
      const [name, value, unit] = ["Name", "Value", "Unit"].map((part) => metrics[`Metric ${part}`]?.[0]);
      if (name) metrics[name] = [value, unit];
    }
  }
  return Object.values(kernels).map((metrics) => {
    const textOf = (name) => metrics[name]?.[0] ?? "";
    const shape = (name) => textOf(name).match(/\d+/g)?.join("x").replace(/(x1)+$/, "");
    const amount = (metric, label) => amountIn(metrics[`launch__${metric}`] ?? metrics[label]);
    return {
      name: textOf("Kernel Name"), arch: textOf("CC"),
      fields: {
        threads: shape("Block Size"), grid: shape("Grid Size"),
        regs: amount("registers_per_thread", "Registers Per Thread"),
        "static-smem": amount("shared_mem_per_block_static", "Static Shared Memory Per Block"),
        "dynamic-smem": amount("shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block"),
      },
    };
  });
}
function fromJson(text) {
  try {
    const { inputs, gpus, kernels = gpus } = JSON.parse(text);
    return kernels.map((row) =>
      ({ name: `${row.demangled ?? ""}`, arch: row.cc, fields: fieldsIn({ ...row, ...inputs }) }));
  } catch {
    return []; // no JSON, or of another shape
  }
}
// Texts of the fields for a kernel of a report, or for one side of a comparison (old_, new_).
function fieldsIn(kernel, side = "") {
  const of = (name) => kernel[side + name] ?? null;
  const texts = {
    ...Object.fromEntries(DATA.inputs.map(({ name, field }) => [name, of(field)])),
    gpu: of("gpu"),
    threads: of("block_dim")?.join("x") ?? of("threads"),
    "dynamic-smem": of("dynamic_smem") ?? (of("static_smem") === null ? of("smem") : null),
    carveout: of("shared_memory_configuration") ?? of("carveout"),
    grid: of("grid_dim")?.join("x"), cluster: of("cluster_dim")?.join("x"),
    spills: spillsText(of("spill_store_bytes"), of("spill_load_bytes")),
    bounds: [of("max_threads"), of("min_blocks")].filter(Boolean).join(", "),
  };
  const known = Object.entries(texts).filter(([, value]) => (value ?? "") !== "");
  const text = (value) => ({ true: "yes", false: "no" })[value] ?? `${value}`.slice(0, 100);
  return Object.fromEntries(known.map(([name, value]) => [name, text(value)]));
}
// _ZN3img9histogramILi64EEEvPfi -> img::histogram<64>. Arguments other than numbers stay mangled: foo<fLi8E>.
function demangled(name) {
  let [, rest = ""] = /^_ZN?(.*)/s.exec(name) ?? [];
  const parts = [];
  for (let length = first(/^(\d+)/, rest); length; length = first(/^(\d+)/, rest)) {
    const end = length.length + Number(length);
    parts.push(rest.slice(length.length, end).replace(/^_GLOBAL__N.*/s, "(anonymous namespace)"));
    rest = rest.slice(end);
  }
  const args = first(/^I(.*)Ev/s, rest) ?? "";
  const isNumeric = /^(L[a-z]n?\d+E)+E?$/.test(args);
  const texts = isNumeric ? args.match(/n?\d+/g).join(", ").replaceAll("n", "-") : args;
  return `${parts.join("::") || name}${args && `<${texts}>`}`;
}
