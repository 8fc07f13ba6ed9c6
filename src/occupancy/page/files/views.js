// Views of a result. Each one refills its section after a change, without changing its height.
// [problem, advice] for a kernel that does not launch.
function failureText({ limit, needed, allowed, along }, { kernel, allocated }) {
  if (along) return [`${grouped(needed)} threads${along} exceed ${grouped(allowed)}`, "Use another shape."];
  const counted = /(threads|registers|barriers|virtual_resources)_per_([a-z]+)/.exec(limit);
  const [, name, place] = counted ?? ["", limit === "static_smem" ? "static_shared_memory" : "shared_memory", "block"];
  const most = `${words.amount(name, allowed)} per ${place.replace("multiprocessor", "SM")}`;
  const verb = needed > allowed ? "exceed" : "do not fit in whole warps into";
  let advice = place === "thread" ? "Instructions cannot address more." : "Use less, or a smaller block.";
  if (!counted && kernel.opt_in === false) advice = "Opt in with cudaFuncSetAttribute, or use less.";
  if (limit === "static_smem") advice = "Make it dynamic, and opt in.";
  if (name === "threads") advice = `A block has at most ${grouped(allowed)} threads.`;
  if (name === "registers" && needed > allocated.registers) advice = "The launch rounds the warps up. " + advice;
  return [`${words.some(name, needed)} ${verb} ${most}`, advice];
}
// Missing amount of each limiter for one more block: 8,192 registers; of several, short: 4 KiB, 64 columns.
function lacks({ active_blocks: blocks, limiters, uses, kernel }) {
  return limiters.map((name) => {
    if (name === "virtual_resources" && kernel.tensor_memory !== null) return "the tcgen05.alloc permit";
    const missing = (blocks + 1) * uses[name].per_block - uses[name].per_multiprocessor;
    if (name === "blocks") return "1 block slot";
    if (missing > 0) return limiters[1] ? words.some(name, missing).replace(/ of .*/, "") : words.some(name, missing);
    return name === "registers" ? "registers in each sub-partition" : words.name(name);
  });
}
const limitersOf = ({ launchable, limiters }) =>
  (launchable === false ? "does not launch" : words.list((limiters ?? []).map(words.name)));
function verdictOf({ result }) {
  const { limits, active_warps: warps } = result, failure = failureOf(result);
  if (failure) {
    const [headline, detail] = failureText(failure, result);
    const verb = /per_thread|static/.test(failure.limit) ? "compile" : "launch";
    return { figure: `Does not ${verb}`, headline, detail, isBad: true };
  }
  const isFull = warps === limits.max_warps_per_multiprocessor;
  const reason = isFull ? `All ${warps} warps of the SM are in use.`
    : `One more block lacks ${words.list(lacks(result)).replace(/(\d) /g, "$1\u00a0")}.`;
  const headline = `Limited by ${limitersOf(result)}`;
  return { figure: words.percent(result.occupancy), headline, detail: reason, isBad: false };
}
function showKernel({ kernel, ...fields }) {
  const isExample = DATA.inputs.every((input) => textOf(fields, input) === textOf(EXAMPLE, input));
  const title = kernel || (isExample ? "Example kernel: enter yours" : "Your kernel");
  const forget = () => app.act(() => Object.assign(app.fields, { kernel: "", spills: "", bounds: "" }));
  fill(byId("kernel"), [element("h2", { title: kernel }, title), kernel && removal("Remove the name", forget)]);
}
// Next steps, but not of fewer registers if the kernel spills.
const stepsOf = ({ result, fields: { spills } }) =>
  nextSteps(result).filter(({ requires }) => !(spills && result.launchable && "regs" in requires));
// The best block size (phones hide it if there are three), and the nearest and the highest level of using less.
function mainSteps(all) {
  const [levels, sizes] = [false, true].map((isSize) => all.filter(({ requires }) => "threads" in requires === isSize));
  const chosen = [...new Set([...levels.slice(0, 1), ...sizes.slice(-1), ...levels.slice(-1)])];
  return chosen.sort((one, other) => one.occupancy - other.occupancy);
}
function changesOf({ limits, kernel, shared_memory_pool: pool }, requires) {
  const kind = hasTooMuchStatic({ limits, kernel }) ? "dynamic" : "shared";
  return Object.entries(requires).map(([name, amount]) => {
    if (name === "opt_in") return "opt in";
    const now = name === "carveout" ? pool : amountOf(name, kernel) ?? 0;
    if (name === "threads" && now === amount) return `${amount} threads in another shape`;
    const [unit] = / \w+$/.exec(words.amount(name, amount)) ?? [""];
    if (name === "smem" && now === amount) return `${words.size(amount)} static → dynamic`;
    const after = name === "smem" ? `${words.size(amount)} ${kind}` : words.some(name, amount);
    return `${words.amount(name, now).replace(unit, "")} → ${after.replace(" of tensor memory", "")}`;
  });
}
// A button that applies a step; in the list of all, with a sentence.
function stepButton({ result }, { requires, occupancy, active_blocks: blocks }, isInList) {
  const changes = changesOf(result, requires);
  const cap = requires.regs === undefined ? null : registerCap(result, requires.regs, blocks);
  const bounds = cap?.launch_bounds ?? cap?.maxnreg ?? "";
  const mark = bounds && !isInList && "may spill";
  const title = `${words.count(blocks, "block")}: ${words.list(changes)}${bounds && `. ${bounds} may cause spills.`}`;
  const cause = bounds.replace("(", "\u200b(").replace(" ", "\u00a0"); // breaks before the bracket only
  const second = changes.slice(1).join(", ") || cause || words.count(blocks, "block");
  const lines = isInList ? element("span", {}, title) : [element("span", {}, changes[0]), element("small", {}, second)];
  // A second click of a double one would take the step that has moved into its place.
  const click = ({ detail }) => detail < 2 && app.act(() => app.set(requires));
  const look = "threads" in requires && !isInList ? "step size" : "step";
  return button([element("b", {}, words.percent(occupancy), element("small", {}, mark)), lines], click,
    { class: look, title, popovertarget: isInList && "all-steps" });
}
// text, field, choices: an error to show in place of the result, its field, and GPUs to choose from.
function showVerdict(launch, all, kept, { text, field, choices }) {
  const { fields: { spills }, result } = launch;
  const { active_warps: warps, active_blocks: blocks, limits, occupancy, kernel: { regs } } = result;
  const { figure, headline, detail, isBad } = verdictOf(launch);
  const now = `${warps} of ${limits.max_warps_per_multiprocessor} warps, ${words.count(blocks, "block")}`;
  const inA = !isBad && kept?.result ? verdictOf(kept) : { figure };
  const since = inA.figure !== figure && element("small", {}, inA.isBad ? " A fails" : ` was ${inA.figure} (A)`);
  byId("verdict").className = isBad ? "card bad" : "card";
  fill(byId("figure"), field ? ["–"] : [isBad ? `✕ ${figure}` : figure, since]);
  settle(byId("facts"), field ? "" : isBad ? "0 resident blocks" : now);
  const reach = () => {
    byId(field).closest("details")?.setAttribute("open", "");
    byId(field).focus();
  };
  fill(byId("headline"), [field ? button(text, reach, { class: "link" }) : text || headline]);
  settle(byId("detail"), field ? "Resources and curves show the last result." : detail);
  const steps = mainSteps(all).map((step) => stepButton(launch, step, false));
  const more = button(`All ${all.length}`, null, { class: "step all", popovertarget: "all-steps", title: "All steps" });
  const offers = choices.slice(0, 4).map((name) => button(
    [name.replace("GeForce ", ""), element("small", {}, limitsOf(name) && familyOf(limitsOf(name)))],
    () => app.act(() => app.change({ gpu: name })), { class: "step" }));
  const noLess = result.limiters.includes("virtual_resources")
    ? "If the kernel relinquishes the permit, enter 0 virtual resources."
    : "Fewer registers or less shared memory would not raise occupancy.";
  let title = isBad ? "Make it run:" : "Raise it:";
  if (field) title = choices.length ? "Choose a GPU:" : "";
  else if (spills && !isBad && regs < limits.max_registers_per_thread) title = "Spills: allow more registers.";
  else if (spills && !isBad) title = `Spills at ${regs} registers: fewer would spill more.`;
  else if (!all.length && isBad) title = "No single step makes it run.";
  else if (!all.length) title = occupancy === 1 ? "Nothing left to raise." : noLess;
  settle(byId("steps-title"), title);
  fill(byId("steps"), field ? offers : [steps, all.length > 2 && more]);
  all.sort((one, other) => one.occupancy - other.occupancy);
  fill(byId("all-steps"), all.map((step) => stepButton(launch, step, true)));
}
function showBars(result) {
  const { kernel, limits, uses, block_limits: allowed, active_blocks: blocks, limiters } = result;
  const failure = failureOf(result), grows = failure ? {} : slack(result);
  const cell = (text, name = "number") => element("span", { class: name, role: "cell" }, text);
  const isRejected = failure?.limit === "static_smem";
  const limiting = isRejected ? ["shared_memory"] : failure ? limiters.slice(0, 1) : limiters;
  const others = ["barriers", "virtual_resources", "tensor_memory"]
    .filter((name) => limits.version >= 90 && uses[name].per_multiprocessor); // of the GPU: no input adds a row
  fill(byId("resources"), ["registers", "shared_memory", "warps", "blocks", ...others].map((name) => {
    const { per_block: used, per_multiprocessor: all } = uses[name];
    const each = name === "registers" && failure?.limit === "max_registers_per_block" ? failure.needed : used;
    const [field, unit] = { registers: ["regs", " per thread"], shared_memory: ["smem", ""] }[name] ?? [name, ""];
    const isCounted = allowed[name] !== null;
    const isLimiter = limiting.includes(name);
    const hasMore = isCounted && grows[field] > knownAmount(field, kernel);
    return element("div", { class: isLimiter ? "row limiter" : "row", role: "row" },
      element("span", { class: "name", role: "cell", title: byId(`about-${name}`).textContent }, words.title(name)),
      cell(bar(each / all, name, isCounted && !isRejected ? blocks : 0, "bar"), "use"),
      [each, all].map((amount) => cell(words.amount(name, amount).replace(" columns", ""))),
      cell([isCounted ? grouped(isRejected && isLimiter ? 0 : allowed[name]) : "no limit", isLimiter && " ◂"]),
      cell(hasMore && `up to ${words.amount(field, grows[field])}${unit}`, "headroom"));
  }));
}
function showWaves({ wave, waves, sms, limits }) {
  const { blocks, clusters, cluster_size: size } = wave ?? {};
  const grids = [waves?.filling_grid_below, waves?.filling_grid_above].filter(Boolean);
  const fills = grids.map((grid, at) => [at > 0 && " or ",
    button(grouped(grid), () => app.change({ grid: `${grid}` }), { class: "link" })]);
  const lines = [
    wave && `${grouped(sms)} SMs hold ${words.count(blocks, "block")}`
      + `${clusters === null ? "" : ` in up to ${words.count(clusters, "cluster")} of ${size}`}.`,
    size > limits.max_portable_cluster_size && "Needs cudaFuncAttributeNonPortableClusterSizeAllowed.",
    waves && `${size ? "At least " : ""}${words.decimal(waves.waves)} waves.`,
    !size && waves?.idle_share > 0 && [`Last wave ${words.percent(waves.last_wave_fill)} full, GPU `
      + `${words.percent(waves.idle_share)} idle. No tail: `, fills, "."],
  ];
  fill(byId("waves"), lines.filter(Boolean).map((text) => element("p", {}, text)));
}
// {result, why, isBad} on another GPU; result is null if the GPU lacks one of the inputs.
function resultOn(limits, { kernel, cluster }) {
  return attempt(() => {
    const result = evaluate(limits, kernel);
    fullWave(result, 1, cluster);
    const { figure, isBad } = verdictOf({ result });
    if (isBad) return { result, isBad, why: figure.toLowerCase() };
    return { result, isBad, why: limitersOf(result).replaceAll(" and ", " + ").replaceAll(" memory", "") };
  }, ({ message }) => ({ result: null, isBad: true, why: message.replace(/( on \S+)?\.$/, "") }));
}
// Show the kernel on the pinned GPUs and the current one, with at least three rows, and A with what differs.
function showGpus(launch, pins, kept) {
  const { fields, gpu, limits: own } = launch;
  const here = fullNameOf(fields.gpu);
  const row = (label, limits, of, { choose, last, isHere }) => {
    const { result, why, isBad } = resultOn(limits, of);
    const blocks = !isBad ? `${words.count(result.active_blocks, "block")}, ` : "";
    const name = [label, element("small", {}, `${limits.compute_capability}: ${blocks}${why}`)];
    return element("tr", { class: isHere && "here", "aria-current": isHere && "true", title: `${label}, ${why}` },
      element("th", { scope: "row" }, choose ? button(name, choose, { class: "link" }) : name),
      element("td", { class: "use" }, occupancyBar(result)), element("td", {}, last));
  };
  const pinned = pins.map(({ name, limits }) => {
    const last = removal(`Unpin ${name}`, () => app.act(() => (app.pins = app.pins.filter((each) => each !== name))));
    return row(name, limits, launch, { choose: () => app.choose(name), last, isHere: name === here });
  });
  const current = row(gpu.name ?? familyOf(own), own, launch, { isHere: true });
  const isPinned = app.pins.includes(here);
  if (!isPinned || pinned.length < 3) pinned.push(isPinned ? element("tr", { "aria-hidden": "true" }) : current);
  const inputs = [{ name: "gpu", label: "" }, ...DATA.inputs, { name: "spills", label: "spills" }];
  const texts = inputs.filter((input) => kept && textOf(fields, input) !== textOf(kept.fields, input))
    .map((input) => `${textOf(kept.fields, input) || "no"} ${input.label.split(" ")[0].toLowerCase()}`.trim());
  settle(byId("kept"), kept && !texts.length ? "Kept" : "Keep");
  if (kept?.result) {
    const last = removal("Discard A", () => app.act(() => (app.kept = null)));
    const choose = () => app.act(() => (app.fields = { ...kept.fields }));
    pinned.unshift(row(`A: ${texts.join(", ") || "as now"}`, kept.limits, kept, { choose, last }));
  }
  fill(byId("pinned"), pinned);
  fill(byId("all-gpus"), [...LIMITS].reverse().map((each) => {
    const { compute_capability: text, version } = each;
    const choose = () => app.choose(text);
    return row(familyOf(each), limitsOf(text, fields.bounds), launch, { choose, isHere: version === own.version });
  }));
}
function showLimits(result) {
  const { compute_capability: cc } = result.limits;
  settle(byId("limits-title"), `Limits of ${cc}`);
  const at = DATA.limits.compute_capability.indexOf(cc);
  fill(byId("limits"), Object.entries(DATA.limit_texts).filter(([, texts]) => texts[at] !== "-").map(([label, texts]) =>
    element("tr", {}, element("th", { scope: "row" }, label), element("td", {}, texts[at]))));
  fill(byId("arithmetic"), hasRuntime(result.limits) ? explain(result).map(({ resource, steps }) => [
    element("h3", { class: resource }, words.title(resource)),
    element("ol", {}, steps.map((step) => element("li", {}, step))),
  ]) : [element("p", {}, "Run `occupancy calc --explain` for this GPU.")]);
}
