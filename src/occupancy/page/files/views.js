// Views of a result. Each one refills its section after a change, without changing its height.

// [problem, advice] for a kernel that does not launch.
function failureText({ limit, needed, allowed }, { kernel, allocated }) {
  const axis = /\[(\d)\]/.exec(limit)?.[1];
  if (axis) return [`${grouped(needed)} threads along ${"xyz"[axis]} exceed ${grouped(allowed)}`, "Use another shape."];
  const counted = /(threads|registers|barriers|virtual_resources)_per_([a-z]+)/.exec(limit);
  const [, name, place] = counted ?? ["", "shared_memory", "block"];
  const most = `${words.amount(name, allowed)} per ${place.replace("multiprocessor", "SM")}`;
  const verb = needed > allowed ? "exceed" : "do not fit in whole warps into";
  let advice = "Use less, or a smaller block.";
  if (!counted && kernel.opt_in === false) advice = "Opt in with cudaFuncSetAttribute, or use less.";
  if (name === "threads") advice = `A block has at most ${grouped(allowed)} threads.`;
  if (name === "registers" && needed > allocated.registers) advice = "The launch rounds the warps up. " + advice;
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

// {figure, headline, detail, isBad}
function verdictOf({ result, waves }) {
  const { limits, kernel, active_warps: warps } = result;
  const failure = failureOf(result);
  if (failure) {
    const [headline, detail] = failureText(failure, result);
    return { figure: "Does not launch", headline, detail, isBad: true };
  }
  if (isRefusedByCompiler(result)) {
    const [own, most] = [kernel.static_smem, limits.max_shared_memory_per_block].map(words.size);
    const headline = `${own} of static shared memory exceed ${most}`;
    return { figure: "Does not compile", headline, detail: "Make it dynamic, and opt in.", isBad: true };
  }
  const isFull = warps === limits.max_warps_per_multiprocessor;
  const reason = isFull ? `All ${warps} warps of the SM are in use.`
    : `One more block needs ${words.list(lacks(result))} more.`;
  const { waves: count, last_wave_fill: share } = waves ?? {};
  const tail = waves ? `${Number(count.toPrecision(4))} waves, the last ${words.percent(share)} full. ` : "";
  const optIn = kernel.opt_in !== true && needsOptIn(limits, kernel) ? "Needs cudaFuncSetAttribute to opt in. " : "";
  const headline = `Limited by ${limitersOf(result)}`;
  return { figure: words.percent(result.occupancy), headline, detail: tail + optIn + reason, isBad: false };
}

function showKernel({ kernel = "", spills, bounds }) {
  const [, name, facts] = byId("kernel").children;
  byId("kernel").hidden = !kernel;
  settle(name, kernel);
  settle(facts, [spills && `spills ${spills}`, bounds && `__launch_bounds__(${bounds})`].filter(Boolean).join(", "));
}

function stepsOf(result) {
  const compiles = ({ requires }) => !isRefusedByCompiler(evaluate(result.limits, changed(result.kernel, requires)));
  return isRefusedByCompiler(result) ? [] : nextSteps(result).filter(compiles);
}

// The best block size, and the nearest and the highest level of using less. Narrow screens hide the second.
function mainSteps(all) {
  const [levels, sizes] = [false, true].map((isSize) => all.filter(({ requires }) => "threads" in requires === isSize));
  const chosen = [...new Set([...levels.slice(0, 1), ...sizes.slice(-1), ...levels.slice(-1)])];
  return chosen.sort((one, other) => one.occupancy - other.occupancy);
}

// A button that applies a step: the occupancy it reaches and its changes, or a sentence in the list of all.
function stepButton({ result, spills }, { requires, occupancy, active_blocks: blocks }, isInList) {
  const afters = Object.entries(requires).map(([name, amount]) =>
    (name === "smem" ? `${words.size(amount)} shared` : words.some(name, amount)));
  const changes = Object.entries(requires).map(([name, amount], at) => {
    const now = name === "carveout" ? result.shared_memory_pool : amountOf(name, result.kernel) ?? 0;
    if (name === "threads" && now === amount) return `${amount} threads in another shape`;
    const [unit] = / \w+$/.exec(words.amount(name, amount)) ?? [""];
    return `${words.amount(name, now).replace(unit, "")} → ${afters[at]}`;
  });
  const cap = requires.regs === undefined ? null : registerCap(result, requires.regs, blocks);
  const bounds = cap?.launch_bounds ?? cap?.maxnreg ?? "";
  const short = spills ? "already spills" : bounds.replace(/__(launch)?_?(\w+?)__\((.*)\)/, "$1 $2 $3");
  const title = `${words.count(blocks, "block")}: ${words.list(changes)}${bounds && `. ${bounds} may cause spills.`}`;
  const lines = isInList ? [element("span", {}, title)] : [element("span", {}, changes[0]),
    element("small", {}, afters[1] ? `and ${afters.slice(1).join(", ")}` : (bounds && short) || "no other change")];
  // A second click of a double one would take the step that has moved into its place.
  const click = ({ detail }) => detail < 2 && app.act(() => app.set(requires));
  const properties = { class: "step", title, popovertarget: isInList && "all-steps" };
  return button([element("b", {}, words.percent(occupancy)), lines], click, properties);
}

// problem: the error to show in place of the result, if its inputs are invalid.
function showVerdict(launch, all, kept, problem) {
  const { result: { active_warps: warps, active_blocks: blocks, limits, occupancy } } = launch;
  const { figure, headline, detail, isBad } = verdictOf(launch);
  const isStale = document.body.classList.contains("stale");
  const now = `${warps} of ${limits.max_warps_per_multiprocessor} warps, ${words.count(blocks, "block")}`;
  const before = !isBad && kept?.result && kept.result.occupancy !== occupancy
    && element("small", {}, `A ${words.percent(kept.result.occupancy)} → `);
  byId("verdict").className = isBad ? "card bad" : "card";
  fill(byId("figure"), isStale ? ["–"] : [before, isBad ? `✕ ${figure}` : figure]);
  settle(byId("facts"), isStale ? "" : isBad ? "0 resident blocks" : now);
  settle(byId("headline"), problem ? `✕ ${problem}` : headline);
  settle(byId("detail"), isStale ? "Resources and curves show the last result." : detail);
  const steps = mainSteps(all).map((step) => stepButton(launch, step, false));
  const more = button(`All ${all.length}`, null, { class: "step all", popovertarget: "all-steps", title: "All steps" });
  const none = element("p", {}, "Neither fewer resources nor another block size raises it.");
  const isStuck = !steps.length && !isBad && occupancy < 1;
  fill(byId("steps"), isStale ? [] : [steps, all.length > steps.length && more, isStuck && none]);
  all.sort((one, other) => one.occupancy - other.occupancy);
  fill(byId("all-steps"), all.map((step) => stepButton(launch, step, true)));
}

// One row per resource of the GPU.
function showBars(result) {
  const { kernel, uses, block_limits: allowed, active_blocks: blocks, limiters } = result;
  const grows = slack(result);
  const cell = (text, name = "number") => element("span", { class: name, role: "cell" }, text);
  const limiting = result.launchable ? limiters : limiters.slice(0, 1);
  const others = ["barriers", "virtual_resources", "tensor_memory"]
    .filter((name) => allowed[name] !== null && (kernel[name] !== null || limiting.includes(name)));
  fill(byId("resources"), ["registers", "shared_memory", "warps", "blocks", ...others].map((name) => {
    const { per_block: each, per_multiprocessor: all } = uses[name];
    const [field, unit] = { registers: ["regs", " per thread"], shared_memory: ["smem", ""] }[name] ?? [name, ""];
    const isCounted = allowed[name] !== null;
    const isLimiter = limiting.includes(name);
    const hasMore = isCounted && grows[field] > knownAmount(field, kernel);
    return element("div", { class: isLimiter ? "row limiter" : "row", role: "row" },
      cell(words.title(name), "name"),
      cell(bar(each / all, name, isCounted ? blocks : 0, "bar"), "use"),
      cell(words.amount(name, each)),
      cell(words.amount(name, all)),
      cell(`${isCounted ? grouped(allowed[name]) : "no limit"}${isLimiter ? " ◂" : ""}`),
      cell(hasMore && `up to ${words.amount(field, grows[field])}${unit}`, "headroom"));
  }));
}

function showWaves({ wave, waves, sms, errors, limits }) {
  const { blocks, clusters, cluster_size: size } = wave ?? {};
  const fills = [waves?.filling_grid_below, waves?.filling_grid_above].filter(Boolean).map(grouped).join(" or ");
  const lines = [
    !waves && sms && !errors.grid && "Enter the blocks of the grid to count its waves.",
    wave && `${grouped(sms)} SMs hold ${words.count(blocks, "block")}`
      + `${clusters === null ? "" : ` in up to ${words.count(clusters, "cluster")} of ${size}`}.`,
    size > limits.max_portable_cluster_size && "Needs cudaFuncAttributeNonPortableClusterSizeAllowed.",
    waves && `${words.percent(waves.idle_share)} of the GPU's time is idle.`,
    waves?.partial_wave_blocks > 0 && `Grids without a tail: ${fills} blocks.`,
  ];
  fill(byId("waves"), lines.filter(Boolean).map((text) => element("p", {}, text)));
}

// {result, why} on another GPU; result is null if the GPU lacks one of the inputs.
function resultOn(limits, { kernel, cluster }) {
  return attempt(() => {
    const result = evaluate(limits, kernel);
    fullWave(result, 1, cluster);
    if (isRefusedByCompiler(result)) return { result: null, why: "does not compile" };
    return { result, why: limitersOf(result) };
  }, ({ message }) => ({ result: null, why: message.replace(/\.$/, "") }));
}

// Show the kernel on the current and the pinned GPUs, and A with the inputs that differ.
function showGpus(fields, launch, pins, kept, keptFields) {
  const { gpu, limits: own } = launch;
  const here = fields.gpu.trim();
  const row = (label, limits, of, { choose, last, isHere }) => {
    const { result, why } = resultOn(limits, of);
    const blocks = result ? `${words.count(result.active_blocks, "block")}, ` : "";
    const name = [label, element("small", {}, `${limits.compute_capability}: ${blocks}${why}`)];
    return element("tr", { class: isHere && "here", "aria-current": isHere && "true" },
      element("th", { scope: "row" }, choose ? button(name, choose, { class: "link" }) : name),
      element("td", { class: "use" }, result ? occupancyBar(result) : "–"), element("td", {}, last));
  };
  const remove = (label, click) => button("✕", click, { class: "plain", "aria-label": label, title: label });
  const pinned = pins.map(({ text, name, limits }) => {
    const unpin = () => app.act(() => (app.pins = app.pins.filter((each) => each !== text)));
    const last = remove(`Unpin ${text}`, unpin);
    return row(text, limits, launch, { choose: () => app.choose(text), last, isHere: name === here });
  });
  const current = row(gpu.name ?? familyOf(own), own, launch, { isHere: true });
  if (!pins.some(({ name }) => name === here)) pinned.unshift(current);
  if (kept?.result) {
    const inputs = [{ name: "gpu", label: "" }, ...DATA.inputs];
    const texts = inputs.filter((input) => textOf(fields, input) !== textOf(keptFields, input))
      .map((input) => `${textOf(keptFields, input) || "no"} ${input.label.toLowerCase()}`.trim());
    const last = remove("Discard A", () => app.act(() => (app.kept = null)));
    const choose = () => app.act(() => (app.fields = { ...keptFields }));
    pinned.unshift(row(`A: ${texts.join(", ") || "as now"}`, kept.limits, kept, { choose, last }));
  }
  fill(byId("pinned"), pinned);
  fill(byId("all-gpus"), [...LIMITS].reverse().map((each) => {
    const { compute_capability: text, version } = each;
    const choose = () => app.choose(text);
    return row(familyOf(each), limitsOf(text, fields.bounds), launch, { choose, isHere: version === own.version });
  }));
}

function showLimits({ compute_capability: cc }) {
  settle(byId("limits-title"), `Limits of ${cc}`);
  const at = DATA.limits.compute_capability.indexOf(cc);
  fill(byId("limits"), Object.entries(DATA.limit_texts).filter(([, texts]) => texts[at] !== "-").map(([label, texts]) =>
    element("tr", {}, element("th", { scope: "row" }, label), element("td", {}, texts[at]))));
}

function showArithmetic(result) {
  fill(byId("arithmetic"), hasRuntime(result.limits) ? explain(result).map(({ resource, steps }) => [
    element("h3", { class: resource }, words.title(resource)),
    element("ol", {}, steps.map((step) => element("li", {}, step))),
  ]) : [element("p", {}, "Run `occupancy calc --explain` for this GPU.")]);
}
