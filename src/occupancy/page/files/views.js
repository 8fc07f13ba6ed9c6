// Views of a result. Each one refills its section after a change, without changing its height.

// [problem, advice] for a kernel that does not launch.
function failureText({ limit, needed, allowed }, { opt_in: optIn }) {
  const axis = /\[(\d)\]/.exec(limit)?.[1];
  if (axis) return [`${grouped(needed)} threads along ${"xyz"[axis]} exceed ${grouped(allowed)}`, "Use another shape."];
  const counted = /(threads|registers|barriers|virtual_resources)_per_([a-z]+)/.exec(limit);
  const [, name, place] = counted ?? ["", "shared_memory", "block"];
  const most = `${words.amount(name, allowed)} per ${place.replace("multiprocessor", "SM")}`;
  const verb = needed > allowed ? "exceed" : "do not fit in whole warps into";
  let advice = !counted && optIn === false ? "Opt in with cudaFuncSetAttribute, or use less." : "Use less, or a smaller block.";
  if (name === "threads") advice = `A block has at most ${grouped(allowed)} threads.`;
  return [`${words.some(name, needed)} ${verb} ${most}`, advice];
}

// Missing amount of each limiter for one more block: 8,192 registers.
function lacks({ active_blocks: blocks, limiters, uses, kernel }) {
  return limiters.map((name) => {
    if (name === "virtual_resources" && kernel.tensor_memory !== null) return "the permit for tcgen05.alloc";
    const missing = (blocks + 1) * uses[name].per_block - uses[name].per_multiprocessor;
    if (name === "blocks") return "a block slot";
    if (missing > 0) return words.some(name, missing);
    return name === "registers" ? "registers in each sub-partition" : words.name(name);
  });
}

// Limiters of a result or of a kernel in a report.
function limitersOf({ launchable, limiters }) {
  return launchable === false ? "does not launch" : words.list((limiters ?? []).map(words.name));
}

// {figure, headline, detail, isBad, call}
function verdictOf({ result }) {
  const { limits, kernel, active_warps: warps } = result;
  const failure = failureOf(result);
  if (failure) {
    const [headline, detail] = failureText(failure, kernel);
    return { figure: "Does not launch", headline, detail, isBad: true };
  }
  if (isRefusedByCompiler(result)) {
    const [own, most] = [kernel.static_smem, limits.max_shared_memory_per_block].map(words.size);
    const headline = `${own} of static shared memory exceed ${most}`;
    return { figure: "Does not compile", headline, detail: "Make it dynamic, and opt in at launch.", isBad: true };
  }
  const isFull = warps === limits.max_warps_per_multiprocessor;
  const reason = isFull ? `All ${warps} warps of the SM are in use` : `The next block is short of ${words.list(lacks(result))}`;
  const grows = slack(result);
  const headroom = [
    kernel.regs && grows.regs > kernel.regs && `${grows.regs} registers`,
    isSharedMemoryGiven(kernel) && grows.smem > sharedMemoryOf(kernel) && words.some("shared_memory", grows.smem),
  ].filter(Boolean);
  const same = headroom.length ? ` Same occupancy up to ${headroom.join(" or ")}.` : "";
  const dynamic = kernel.smem ?? kernel.dynamic_smem;
  const isOptIn = dynamic !== null && kernel.opt_in !== true && needsOptIn(limits, kernel);
  const call = isOptIn && `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ${dynamic});`;
  const headline = `Limited by ${limitersOf(result)}`;
  return { figure: words.percent(result.occupancy), headline, detail: `${reason}.${same}`, isBad: false, call };
}

function showKernel({ kernel = "", spills, bounds }) {
  const [name, facts] = byId("kernel").children;
  byId("kernel").classList.toggle("named", kernel !== "");
  settle(name, kernel);
  settle(facts, [spills && `spills ${spills}`, bounds && `__launch_bounds__(${bounds})`].filter(Boolean).join(", "));
}

function stepsOf(result) {
  const compiles = ({ requires }) => !isRefusedByCompiler(evaluate(result.limits, changed(result.kernel, requires)));
  return isRefusedByCompiler(result) ? [] : nextSteps(result).filter(compiles);
}

// The step of a kernel that does not compile: all of its shared memory becomes dynamic.
function dynamicStep({ kernel, occupancy }) {
  const texts = { "static-smem": "0", "dynamic-smem": String(sharedMemoryOf(kernel)), "opt-in": "" };
  const before = element("span", {}, `${words.size(kernel.static_smem)} static`);
  const content = [element("b", {}, words.percent(occupancy)), before, element("small", {}, "→ dynamic")];
  return button(content, () => app.ask(texts), { class: "step" });
}

const byOccupancy = (steps) => [...steps].sort((one, other) => one.occupancy - other.occupancy);
// Three levels of using less and the best block size, the lowest first, each with its look: narrow screens show two.
function mainSteps(all) {
  const [levels, sizes] = [false, true].map((isSize) => all.filter(({ requires }) => "threads" in requires === isSize));
  const looks = new Map([[levels[levels.length >> 1], "middle"], [sizes[sizes.length - 1], "size"]]);
  looks.set(levels[0], "").set(levels[levels.length - 1], "").delete(undefined);
  return byOccupancy([...looks.keys()]).map((step) => [step, looks.get(step)]);
}

// A button that applies a step: the occupancy it reaches and two lines about it, or a sentence in the list of all.
function stepButton({ result, spills }, step, look) {
  const isInList = look === undefined;
  const { regs, smem, carveout } = step.requires;
  const changes = Object.entries(step.requires).map(([name, amount]) => {
    const now = name === "carveout" ? result.shared_memory_pool : amountOf(name, result.kernel) ?? 0;
    if (name === "threads" && now === amount) return `${amount} threads in another shape`;
    const after = /mem|carveout/.test(name) ? words.amount(name, amount) : words.some(name, amount);
    return `${words.amount(name, now).replace(/ \w+$/.exec(after)[0], "")} → ${after}`;
  });
  const bytes = smem % 1024 ? `, ${words.count(smem, "byte")}` : "";
  const cap = regs === undefined ? null : registerCap(result, regs, step.active_blocks);
  const bounds = cap?.launch_bounds ?? cap?.maxnreg ?? "";
  let last = bounds.replace(/__(launch)?_?(\w+?)__\((.*)\)/, "$1 $2 $3") || (carveout ? "of carveout" : "no other change");
  if (smem !== undefined) last = changes[1] ? `${words.size(smem)} shared` : "of shared memory";
  if (spills && regs !== undefined) last = "already spills";
  const hint = carveout ? " of carveout" : bounds && `. ${bounds} may cause spills.`;
  const title = `${words.count(step.active_blocks, "block")}: ${words.list(changes)}${bytes}${hint}`;
  const content = [element("b", {}, words.percent(step.occupancy)), element("span", {}, isInList ? title : changes[0])];
  if (!isInList) content.push(element("small", {}, last));
  const properties = { class: `step ${look ?? ""}`, title, popovertarget: isInList && "all-steps" };
  // A second click of a double one would take the step that has moved into its place.
  return button(content, ({ detail }) => detail < 2 && app.act(() => app.set(step.requires)), properties);
}

function showVerdict(launch, all, kept, problem) {
  const { result } = launch;
  const { figure, headline, detail, isBad, call } = verdictOf(launch);
  const isRefused = isRefusedByCompiler(result);
  const now = `${result.active_warps} of ${result.limits.max_warps_per_multiprocessor} warps, ${words.count(result.active_blocks, "block")}`;
  const before = kept?.result && !isBad ? `${words.percent(kept.result.occupancy)} → ` : "";
  byId("verdict").className = `${isBad ? "bad" : ""} ${isRefused ? "refused" : ""} ${before && "compared"}`;
  settle(byId("figure"), isBad ? `✕ ${figure}` : `${before}${figure}`);
  settle(byId("facts"), isRefused ? `would be ${words.percent(result.occupancy)}` : now);
  settle(byId("headline"), problem ? `✕ ${problem}` : headline);
  settle(byId("detail"), problem ? "The last result is shown in grey." : detail);
  byId("call").hidden = Boolean(problem) || !call;
  byId("call").title = call || "";
  const steps = isRefused ? [dynamicStep(result)] : mainSteps(all).map(([step, look]) => stepButton(launch, step, look));
  const more = button(`All ${all.length}`, null, { class: "step all", popovertarget: "all-steps", title: "All steps" });
  const none = element("p", { class: "none" }, "Fewer resources or another block size do not raise it.");
  fill(byId("steps"), [steps, all.length > 2 && more, !steps.length && !isBad && result.occupancy < 1 && none]);
  fill(byId("all-steps"), byOccupancy(all).map((step) => stepButton(launch, step)));
}

// One row per resource. The number of rows is constant; the last one is empty if the kernel does not use it.
function showBars(result) {
  const { kernel, uses, block_limits: allowed, active_blocks: blocks, limits, limiters } = result;
  const grows = slack(result);
  const reserved = limits.reserved_shared_memory_per_block;
  const sizeOf = (name, amount) => words.amount(name, amount).replace(/ columns?/, "");
  const cell = (text, name = "number") => element("span", { class: name, role: "cell" }, text);
  const isPermit = (allowed.virtual_resources ?? Infinity) < (allowed.tensor_memory ?? Infinity);
  const last = isPermit ? "virtual_resources" : "tensor_memory";
  const rows = ["registers", "shared_memory", "warps", "blocks", "barriers", last].map((name) => {
    const { per_block: each, per_multiprocessor: all } = uses[name];
    const field = { registers: "regs", shared_memory: "smem" }[name] ?? name;
    const isEmpty = name === last && !each;
    const isCounted = allowed[name] !== null;
    const isLimiter = limiters.includes(name) && !isEmpty;
    const isAssumed = isCounted && name === "barriers" && kernel.barriers === null;
    const left = blocks && isLimiter ? all - blocks * each : 0; // too little for one more block
    const headroom = [
      blocks && isCounted && grows[field] > knownAmount(field, kernel)
        ? `up to ${words.amount(field, grows[field])}${field === "regs" ? " per thread" : ""}`
        : left && `${words.amount(name, left)} left`,
      name === "tensor_memory" && "in columns",
      field === "smem" && each > 0 && reserved > 0 && `${words.size(reserved)} reserved`,
      isAssumed && "* assumed",
    ].filter(Boolean);
    const fit = isEmpty ? "" : isCounted ? grouped(allowed[name]) : "no limit";
    return element("div", { class: `row${isLimiter ? " limiter" : ""}${isEmpty ? " empty" : ""}`, role: "row" },
      cell(words.title(name), `name ${name}`),
      cell(resourceBar(name, isCounted ? blocks : 0, all ? each / all : 0, left), "use"),
      cell(`${sizeOf(name, each)}${isAssumed ? "*" : ""}`),
      cell(all === null ? "unknown" : isCounted || !each ? sizeOf(name, all) : "–"),
      cell(`${fit}${isLimiter ? " ◂" : ""}`),
      cell(headroom.join("; "), "headroom"));
  });
  fill(byId("resources"), rows);
}

// A bar with the resident blocks; the rest is hatched if it is too little for one more block.
function resourceBar(name, blocks, share, left) {
  const width = 1000 * share;
  const gap = Math.min(3, width / 3);
  const block = (_, at) => `M${(at * width).toFixed(1)} 0h${(width - gap).toFixed(1)}v20h-${(width - gap).toFixed(1)}z`;
  const [x, d] = [blocks * width, Array.from({ length: Math.min(blocks, 256) }, block).join("")];
  return drawn("svg", { class: "bar", viewBox: "0 0 1000 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("path", { d, class: name }),
    left > 0 && drawn("rect", { x, width: 1000 - x, height: 20, class: "left" }));
}

function showWaves({ gpu, wave, waves, sms, errors }) {
  const lines = [!wave && gpu.range && `Variants of this GPU have ${gpu.range} SMs.`];
  if (!waves && !errors.grid) lines.push("Enter the blocks of the grid to count its waves.");
  if (wave) {
    const clusters = wave.clusters && ` in up to ${words.count(wave.clusters, "cluster")} of ${wave.cluster_size}`;
    lines.push(`${grouped(sms)} SMs hold ${words.count(wave.blocks, "block")}${clusters || ""}.`);
  }
  if (waves) {
    const fills = [waves.filling_grid_below, waves.filling_grid_above].filter(Boolean).map(grouped).join(" or ");
    const [filled, idle] = [waves.last_wave_fill, waves.idle_share].map(words.percent);
    lines.push(`Last wave: ${filled} full (${Number(waves.waves.toPrecision(4))} waves); ${idle} of the GPU's time is idle.`);
    lines.push(waves.partial_wave_blocks > 0 && `Grids without a tail: ${fills} blocks.`);
  }
  fill(byId("waves"), lines.filter(Boolean).map((text) => element("p", {}, text)));
}

function showCarveout({ limits, kernel }) {
  const best = isSharedMemoryGiven(kernel) && smallestCarveout(evaluate(limits, { ...kernel, carveout: null }));
  const { shared_memory: size, l1, percent } = best || {};
  const share = percent === null ? "" : ` (${percent}%)`;
  const rest = l1 === null ? "" : ` and leaves ${words.size(l1)} of L1`;
  settle(byId("l1"), size === undefined ? "" : `A carveout of ${words.size(size)}${share} is enough${rest}.`);
}

// {result, why} on another GPU; result is null if the GPU lacks one of the inputs.
function resultOn(limits, kernel) {
  return attempt(() => {
    const result = evaluate(limits, kernel);
    return isRefusedByCompiler(result) ? { result: null, why: "does not compile" } : { result, why: limitersOf(result) };
  }, ({ message }) => ({ result: null, why: message.replace(/\.$/, "") }));
}

// Show the kernel on the current and the pinned GPUs, and A with the inputs that differ.
function showGpus(fields, launch, pins, kept, keptFields) {
  const here = fields.gpu.trim();
  const line = (label, { compute_capability: cc }, { result, why }, last = "", look = null) => {
    const [share, blocks] = result ? [shareCell(result), grouped(result.active_blocks)] : ["-", "-"];
    return tableRow([label, cc, share, numeric(blocks), [{ class: "reason" }, why], last], look);
  };
  const row = (label, limits, key, isHere, last) => {
    const choose = button(label, () => app.ask({ gpu: key }), { class: "link", "aria-current": isHere && "true" });
    return line(choose, limits, resultOn(limits, launch.kernel), last, isHere ? "here" : null);
  };
  const unpin = (text) => button("✕", () => app.unpin(text), { class: "plain", "aria-label": `Unpin ${text}` });
  const isHere = ({ text, gpu }) => (gpu.name ?? text) === here;
  const pinned = pins.map((each) =>
    row(each.text, limitsOf(each.gpu.cc, fields.bounds), each.text, isHere(each), unpin(each.text)));
  const pin = button("Pin", () => app.pin(here));
  if (!pins.some(isHere)) pinned.unshift(row(launch.gpu.name ?? familyOf(launch.limits), launch.limits, here, true, pin));
  if (kept?.result) {
    const differ = DATA.inputs.filter((input) => textOf(fields, input) !== textOf(keptFields, input));
    const texts = differ.map((input) => `${textOf(keptFields, input) || "no"} ${input.label.split(" /")[0].toLowerCase()}`);
    const label = `A: ${[keptFields.gpu, ...texts].join(", ")}`;
    pinned.unshift(line([{ title: label }, label], kept.limits, resultOn(kept.limits, kept.kernel)));
  }
  fill(byId("pinned"), pinned);
  fill(byId("all-gpus"), [...LIMITS].reverse().map((each) => {
    const cc = each.compute_capability;
    return row(familyOf(each), limitsOf(cc, fields.bounds), cc, cc === launch.limits.compute_capability);
  }));
}

function showArithmetic(result) {
  fill(byId("arithmetic"), hasRuntime(result.limits) ? explain(result).map(({ resource, steps }) => [
    element("h3", { class: resource }, words.title(resource)),
    element("ol", {}, steps.map((step) => element("li", {}, step))),
  ]) : [element("p", {}, "Run `occupancy calc --explain` for this GPU.")]);
}

function showLimits({ limits }) {
  const at = DATA.limits.compute_capability.indexOf(limits.compute_capability) + 1;
  const given = DATA.limit_texts.filter((texts) => texts[at] !== "-");
  fill(byId("limits"), given.map((texts) => tableRow([texts[0], numeric(texts[at])])));
}
