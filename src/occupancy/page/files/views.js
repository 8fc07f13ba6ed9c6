// The views of a result. Each fills its section again after every change; none changes its height.

const ORDINAL = (number) => `${grouped(number)}${/1[123]$/.test(number) ? "th" : { 1: "st", 2: "nd", 3: "rd" }[number % 10] ?? "th"}`;
const placeOf = ({ gpu, limits }) => `${gpu.name ? `${gpu.name}, ` : ""}compute capability ${limits.compute_capability} (${limits.architecture})`;
const opens = (number) => (/^(8|11$|18$)/.test(String(number)) ? "An" : "A");

const FAILURES = {
  max_threads_per_block: (needed, most) => [`${needed} threads exceed ${most} per block`, "Use a smaller block."],
  max_threads_per_multiprocessor: (needed, most) => [`${needed} threads exceed ${most} per SM`, "Use a smaller block."],
  max_registers_per_thread: (needed, most) => [`${needed} registers exceed ${most} per thread`, "Compile for fewer registers."],
  max_registers_per_block: (needed, most) => [`The block takes ${needed} registers, and may take ${most}`, "Use fewer registers or a smaller block: too many resources requested for launch."],
  max_registers_per_multiprocessor: (needed, most) => [`The block takes ${needed} registers of ${most} per SM`, "Its warps do not fit whole into the sub-partitions."],
  max_barriers_per_multiprocessor: (needed, most) => [`${needed} barriers exceed ${most} per SM`, "Use fewer barriers."],
  virtual_resources_per_multiprocessor: (needed, most) => [`${needed} virtual resources exceed ${most} per SM`, "Enter up to 128."],
};

function failureText({ limit, needed, allowed }, kernel) {
  const name = limit.replace(/^spreadsheet\.|_ca$/g, "");
  const axis = /^max_block_dim\[(\d)\]/.exec(name);
  if (axis) return [`${grouped(needed)} threads along ${"xyz"[axis[1]]} exceed ${grouped(allowed)}`, "Use another shape."];
  if (name in FAILURES) return FAILURES[name](grouped(needed), grouped(allowed));
  const optIn = kernel.opt_in === false ? "Opt in with cudaFuncSetAttribute, or use less." : "Use less shared memory.";
  return [`${words.size(needed)} of shared memory exceed ${words.size(allowed)} per block`, optIn];
}

// What one more block lacks of each limiter: 8,192 registers.
function lacks({ active_blocks: blocks, limiters, uses, limits }) {
  return limiters.map((name) => {
    const { per_block: each, per_multiprocessor: all } = uses[name];
    const missing = (blocks + 1) * each - all;
    if (name === "blocks") return "a block slot";
    if (missing <= 0) return name === "registers" ? `registers in whole warps of its ${limits.sub_partitions} sub-partitions` : words.name(name);
    return name === "shared_memory" ? `${words.size(missing)} of shared memory` : name === "tensor_memory" ? `${missing} columns of tensor memory` : words.count(missing, words.name(name).replace(/s$/, ""));
  });
}

// What limits a result or a kernel of a report.
function limitersOf({ launchable, limiters }) {
  return launchable === false ? "does not launch" : words.list((limiters ?? []).map(words.name));
}

const optInCall = ({ kernel }) => `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ${kernel.smem ?? kernel.dynamic_smem});`;

// {figure, headline, detail, isBad, call}
function verdictOf({ result }) {
  const { limits, kernel, active_blocks: blocks } = result;
  const failure = failureOf(result);
  if (failure) {
    const [headline, detail] = failureText(failure, kernel);
    return { figure: "Does not launch", headline, detail, isBad: true };
  }
  if (isRefusedByCompiler(result)) {
    const most = words.size(limits.max_shared_memory_per_block);
    return { figure: "Does not compile", headline: `${words.size(kernel.static_smem)} of static shared memory exceed ${most}`, detail: `Only dynamic shared memory may be larger: it would reach ${words.percent(result.occupancy)}.`, isBad: true };
  }
  const isFull = result.active_warps === limits.max_warps_per_multiprocessor;
  const headline = isFull ? `All ${limits.max_warps_per_multiprocessor} warps of the SM are in use` : `${opens(blocks + 1)} ${ORDINAL(blocks + 1)} block lacks ${words.list(lacks(result))}`;
  const grows = slack(result);
  const headroom = [
    kernel.regs && grows.regs > kernel.regs && `${grows.regs} registers`,
    isSharedMemoryGiven(kernel) && grows.smem > sharedMemoryOf(kernel) && words.size(grows.smem),
  ].filter(Boolean);
  const detail = headroom.length ? `Headroom: up to ${headroom.join(" or ")}.` : "No headroom: more of any resource costs a block.";
  const relinquished = result.limiters.includes("virtual_resources") && kernel.tensor_memory !== null && evaluate(limits, { ...kernel, virtual_resources: 0 });
  const isOptIn = kernel.opt_in !== true && needsOptIn(limits, kernel) && (kernel.smem ?? kernel.dynamic_smem) !== null;
  const after = relinquished ? `After relinquishing its permit: ${words.count(relinquished.active_blocks, "block")}, ${words.percent(relinquished.occupancy)}.` : "";
  return { figure: words.percent(result.occupancy), headline, detail: after || detail, isBad: false, call: isOptIn ? optInCall(result) : "" };
}

function showKernel({ kernel, spills, bounds }) {
  fill(byId("kernel"), kernel ? [
    element("code", { title: kernel }, kernel),
    element("small", {}, [spills && `spills ${spills}`, bounds && `__launch_bounds__(${bounds})`].filter(Boolean).join(", ")),
    button("✕", "forget", () => app.ask({ kernel: "", spills: "", bounds: "" }), { class: "plain", "aria-label": "Remove the kernel's name" }),
  ] : []);
}

function changeOf({ kernel }, name, amount) {
  const now = amountOf(name, kernel) ?? 0;
  if (name === "threads" && now === amount) return `${amount} threads in another shape`;
  const [from, to] = [words.amount(name, now), words.amount(name, amount)];
  return name === "smem" ? `${from} → ${to}` : `${from} → ${to} ${name === "threads" ? "threads" : words.name(name)}`;
}

const changesOf = (result, { requires }) => words.list(Object.entries(requires).map((each) => changeOf(result, ...each)));

// Up to three levels of using less, spread over what they reach, and the best block size; then the others.
function stepsShown(result) {
  if (isRefusedByCompiler(result)) return [[], []];
  const all = nextSteps(result).filter(({ requires }) => !isRefusedByCompiler(evaluate(result.limits, changed(result.kernel, requires))));
  const levels = all.filter(({ requires }) => !("threads" in requires));
  const sizes = all.filter(({ requires }) => "threads" in requires);
  const middle = levels.slice(1, -1).sort((a, b) => Math.abs(a.occupancy - 0.75) - Math.abs(b.occupancy - 0.75))[0];
  const chosen = [levels[0], middle, levels.length > 1 && levels[levels.length - 1], sizes[sizes.length - 1]].filter(Boolean);
  return [chosen, all.filter((each) => !chosen.includes(each))];
}

function stepButton(result, step) {
  const { regs, threads } = step.requires;
  const changes = Object.entries(step.requires).map((each) => changeOf(result, ...each));
  const cap = regs === undefined || mayBeDivided(result) ? null : registerCap(result, regs, step.active_blocks);
  const bounds = cap ? cap.launch_bounds ?? cap.maxnreg : "";
  const last = changes.slice(1).join(", ") || bounds.replace(/__(?:launch_)?(\w+?)__/, "$1 ") || (threads ? "all else stays" : regs ? "unless setmaxnreg" : words.count(step.active_blocks, "block"));
  const title = `${words.count(step.active_blocks, "block")}: ${changesOf(result, step)}${bounds && `. ${bounds} may cause spills.`}`;
  const key = `step ${step.active_blocks} ${Object.keys(step.requires)}`;
  return choiceButton([step.occupancy, changes[0], last], key, () => app.apply(step.requires), { title });
}

// A change to apply: the occupancy it reaches, and two lines about it.
function choiceButton([occupancy, first, last], key, click, properties = {}) {
  const lines = [element("b", {}, words.percent(occupancy)), element("span", {}, first), element("small", {}, last)];
  return button(lines, key, click, { class: "step", ...properties });
}

// The verdict of the question, or of the last one that had a result; problem: what is wrong in the fields.
function showVerdict(question, kept, problem) {
  const { result } = question;
  const verdict = verdictOf(question);
  const [shown, more] = stepsShown(result);
  const keptText = kept?.result ? ` · A ${words.percent(kept.result.occupancy)}` : "";
  const makeDynamic = () => app.ask({ "static-smem": "", "dynamic-smem": String(sharedMemoryOf(question.kernel)) });
  const none = result.occupancy === 1 ? "The SM is full." : verdict.isBad ? "" : "Neither using less nor another block size gives more.";
  byId("verdict").className = verdict.isBad ? "bad" : "";
  fill(byId("verdict"), [
    element("div", { class: "figure" }, element("strong", {}, verdict.isBad ? `✕ ${verdict.figure}` : verdict.figure), element("small", {}, `${result.active_warps} of ${result.limits.max_warps_per_multiprocessor} warps · ${words.count(result.active_blocks, "block")}${keptText}`)),
    element("div", { class: "why" },
      element("h2", {}, problem ? `✕ ${problem}` : verdict.headline),
      element("p", {}, problem ? "In grey: the last result." : verdict.detail),
      !problem && verdict.call && element("p", { class: "call" }, "Opt-in required: ", button("copy the call", "copy call", () => app.copyText(verdict.call), { class: "link", title: verdict.call })),
    ),
    element("div", { class: "steps", role: "group", "aria-label": "To raise occupancy" },
      shown.map((step) => stepButton(result, step)),
      more.length > 0 && element("details", { class: "menu" }, element("summary", { class: "step" }, element("b", {}, `+${more.length}`), "more"), element("div", {}, more.map((step) => stepButton(result, step)))),
      !shown.length && none && element("p", { class: "none" }, none),
      isRefusedByCompiler(result) && choiceButton([result.occupancy, "make it dynamic", "and opt in"], "dynamic", makeDynamic),
    ),
  ]);
}

const BARS = ["registers", "shared_memory", "warps", "blocks", "barriers", "tensor_memory"];

// A row for each resource, always the same number of them; one that the kernel has nothing to do with is empty.
function resourceRows(result) {
  const { kernel, uses, block_limits: allowed, active_blocks: blocks, limits } = result;
  const grows = slack(result);
  const virtual = allowed.virtual_resources;
  const isVirtual = virtual !== null && (allowed.tensor_memory === null || virtual < allowed.tensor_memory);
  return BARS.map((row) => {
    const name = row === "tensor_memory" && isVirtual ? "virtual_resources" : row;
    const { per_block: each, per_multiprocessor: all } = uses[name];
    const isGiven = { registers: kernel.regs !== null, shared_memory: isSharedMemoryGiven(kernel), barriers: kernel.barriers !== null }[name] ?? true;
    const isEmpty = row === "tensor_memory" && !each;
    const field = { registers: "regs", shared_memory: "smem" }[name] ?? name;
    const { amount, reason } = grows.left_over[name];
    const reserved = name === "shared_memory" ? Math.min(limits.reserved_shared_memory_per_block, each) : 0;
    const most = { regs: kernel.regs, smem: sharedMemoryOf(kernel), barriers: kernel.barriers ?? 1 }[field];
    const headroom = blocks && allowed[name] !== null && grows[field] > most ? `up to ${words.amount(field, grows[field])}${field === "regs" ? " per thread" : ""}` : "";
    return {
      name, title: words.title(name), isEmpty, reason: blocks ? reason : null,
      perBlock: `${words.amount(name, each)}${isGiven || !each || allowed[name] === null ? "" : "*"}`,
      perSm: all === null ? "unknown" : words.amount(name, all),
      blocks: isEmpty ? "" : allowed[name] === null ? "no limit" : grouped(allowed[name]),
      count: allowed[name] === null ? 0 : blocks, share: all ? each / all : 0,
      isLimiter: result.limiters.includes(name) && !isEmpty,
      note: allowed[name] === null ? "" : reserved && each ? `${words.size(reserved)} reserved` : !isGiven && each ? "* assumed" : "",
      headroom: headroom || (blocks && reason === "too_little" && amount ? `${words.amount(name, amount)} left` : ""),
    };
  });
}

function showBars(result) {
  const cell = (text, name) => element("span", { class: name, role: "cell" }, text);
  const rows = resourceRows(result).map((row) => {
    const width = 1000 * row.share;
    const gap = Math.min(3, width / 3);
    const blocks = Array.from({ length: Math.min(row.count, 256) }, (_, at) => `M${(at * width).toFixed(1)} 0h${(width - gap).toFixed(1)}v20h-${(width - gap).toFixed(1)}z`).join("");
    const used = row.count * width;
    const bar = drawn(
      "svg", { class: "bar", viewBox: "0 0 1000 20", preserveAspectRatio: "none", "aria-hidden": "true" },
      drawn("path", { d: blocks, class: row.name }),
      row.reason === "too_little" && used < 1000 && drawn("rect", { x: used.toFixed(1), width: (1000 - used).toFixed(1), height: 20, class: "left", fill: "url(#hatch)" }),
    );
    return element("div", { class: `row${row.isLimiter ? " limiter" : ""}${row.isEmpty ? " empty" : ""}`, role: "row" },
      cell(row.title, `name ${row.name}`), element("span", { class: "use", role: "cell" }, bar), cell(row.perBlock, "number"), cell(row.perSm, "number"), cell(`${row.blocks}${row.isLimiter ? " ◂" : ""}`, "number"), cell([row.headroom, row.note].filter(Boolean).join("; "), "headroom"));
  });
  const head = element("div", { class: "row head", role: "row" }, ["resource", "of one SM", "per block", "per SM", "blocks fit", "headroom"].map((text, at) => element("span", { role: "columnheader", class: ["", "", "number", "number", "number", "headroom"][at] }, text)));
  const hatch = drawn("svg", { class: "unseen", "aria-hidden": "true" }, drawn("pattern", { id: "hatch", width: 9, height: 20, patternUnits: "userSpaceOnUse" }, drawn("path", { d: "M0 20L9 0", class: "hatch" })));
  const key = (name, text) => element("span", {}, element("i", { class: name }), text);
  refill("bars", hatch, element("div", { role: "table", "aria-label": "What one block takes of each resource" }, head, rows),
    element("p", { class: "legend" }, key(null, "resident blocks"), key("free", "free: another resource limits"), key("hatched", "too little for one more block")));
}

function showWaves({ wave, waves, sms }, gpu) {
  const lines = [];
  if (wave) {
    const clusters = wave.cluster_size ? ` in up to ${words.count(wave.clusters, "cluster")} of ${wave.cluster_size}` : "";
    lines.push(`${grouped(sms)} SMs hold ${words.count(wave.blocks, "block")}${clusters}.`);
  } else if (gpu.range) lines.push(`Variants of this GPU have ${gpu.range} SMs.`);
  if (waves) {
    const fills = [waves.filling_grid_below, waves.filling_grid_above].filter((grid) => grid !== null).map(grouped);
    lines.push(`Last wave: ${words.percent(waves.last_wave_fill)} full (${Number(waves.waves.toPrecision(4))} waves); ${words.percent(waves.idle_share)} of the GPU's time is idle.`);
    if (waves.partial_wave_blocks) lines.push(`Grids without a tail: ${fills.join(" or ")} blocks.`);
  }
  fill(byId("waves"), lines.map((text) => element("p", {}, text)));
}

// The smallest carveout that keeps the blocks.
function showCarveout(result) {
  const { shared_memory: size, l1, percent } = (isSharedMemoryGiven(result.kernel) && smallestCarveout(result)) || {};
  const share = percent === null ? "" : ` (${percent}%)`;
  const rest = l1 === null ? "" : ` and leaves ${words.size(l1)} of L1`;
  settle(byId("l1"), size === undefined ? "" : `A carveout of ${words.size(size)}${share} is enough${rest}.`);
}

// The result on another GPU: {result, why}; result is null where the kernel cannot be entered there.
function resultOn(limits, kernel) {
  try {
    const result = evaluate(limits, kernel);
    const failure = failureOf(result);
    return { result, why: limitersOf(result), title: failure ? failureText(failure, kernel)[0] : "" };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { result: null, why: error.message.split(". ")[0], title: "" };
  }
}

function showGpus(here, question, pins) {
  const row = (label, limits, key, isHere, ...last) => {
    const { result, why, title } = resultOn(limits, question.kernel);
    return { class: isHere ? "here" : null, cells: [
      button(label, `gpu ${key}`, () => app.ask({ gpu: key }), { class: "link", "aria-current": isHere && "true" }),
      limits.compute_capability,
      result ? shareCell(result) : [{ class: "use" }, "-"],
      numeric(result ? grouped(result.active_blocks) : "-"),
      [{ class: "reason", title: title || null }, why],
      ...last.map((each) => [{}, each]),
    ] };
  };
  const titles = ["GPU", "CC", [{ class: "use" }, "Occupancy"], numeric("Blocks"), [{ class: "reason" }, "Limited by"], unseen("Unpin")];
  const pinned = pins.map(({ text, gpu }) => row(text, limitsOf(gpu.cc), text, text === here, button("✕", `unpin ${text}`, () => app.unpin(text), { class: "plain", "aria-label": `Unpin ${text}` })));
  const all = [...LIMITS].reverse().map((limits) => row(familyOf(limits), limits, limits.compute_capability, limits === question.limits));
  const isPinned = pins.some(({ text }) => text === here);
  const chosen = row(question.gpu.name ?? familyOf(question.limits), question.limits, here, true, button("Pin", "pin", () => app.pin(here)));
  refill("gpus",
    table("Pinned GPUs", titles, isPinned ? pinned : [chosen, ...pinned]),
    element("details", {}, element("summary", {}, "All compute capabilities"), table("All compute capabilities", titles.slice(0, 5), all)));
  fill(byId("pins"), pins.map(({ text, gpu }) => {
    const { result } = resultOn(limitsOf(gpu.cc), question.kernel);
    return button([text, element("b", {}, result ? words.percent(result.occupancy) : "-")], `pinned ${text}`, () => app.ask({ gpu: text }), { class: "pin", title: `Show ${text}` });
  }));
}

function showArithmetic(result) {
  refill("arithmetic", explain(result).map(({ resource, steps }) => [
    element("h3", { class: resource }, words.title(resource)),
    element("ol", {}, steps.map((step) => element("li", {}, step))),
  ]));
}

function showLimits({ limits }) {
  const text = (name, value) => {
    if (value === null) return "-";
    if (Array.isArray(value)) return name.includes("shared_memory") ? `${value.map((each) => each / 1024).join(", ")} KiB` : value.join(" x ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return name.includes("shared_memory") ? words.size(value) : grouped(value);
    return typeof value === "object" ? `version ${value.version}` : value;
  };
  const rows = Object.keys(limits).filter((name) => name !== "version").map((name) => [words.title(name), numeric(text(name, limits[name]))]);
  refill("limits", table(`Limits of ${limits.compute_capability}`, null, rows, { class: "pairs" }));
}

function showCompare(fields, question, keptFields, kept) {
  if (!kept) return refill("compare", element("p", { class: "note" }, "Keep these inputs as A with the button at the top, then change some: both are shown side by side."));
  const sides = [kept, question];
  const text = (make) => sides.map(({ result }) => (result ? make(result) : "-"));
  const inputs = [{ name: "kernel", label: "Kernel" }, { name: "gpu", label: "GPU" }, ...DATA.inputs].filter(({ name }) => fields[name]?.trim() || keptFields[name]?.trim());
  const rows = [
    ["Occupancy", ...text((result) => words.percent(result.occupancy))],
    ["Limited by", ...text(limitersOf)],
    ...inputs.map(({ name, label }) => [label, keptFields[name]?.trim() || "not given", fields[name]?.trim() || "not given"]),
    ["Blocks per SM", ...text((result) => grouped(result.active_blocks))],
    ...RESOURCES.filter((name) => sides.some(({ result }) => (result?.block_limits[name] ?? null) !== null)).map((name) => [`Blocks by ${words.name(name)}`, ...text(({ block_limits: allowed }) => (allowed[name] === null ? "no limit" : grouped(allowed[name])))]),
  ].map(([name, a, b]) => ({ class: a === b ? "same" : null, cells: [name, numeric(a), numeric(b)] }));
  refill("compare", table("A and the inputs of now", [unseen("Input"), numeric("A"), numeric("now")], rows));
}
