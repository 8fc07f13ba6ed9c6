// The engine: a hand port of engine/ and advice/ of the library, compared with it by tests/page/test_engine.py.
// Limits and kernels have the same field names as in the library.
const RESOURCES = ["warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources", "tensor_memory"];
// Adjustable amounts of a kernel: the resource, the least amount and the limit of each.
const AMOUNTS = {
  regs: { resource: "registers", least: 1, highest: "max_registers_per_thread" },
  smem: { resource: "shared_memory", least: 0, highest: "max_shared_memory_per_multiprocessor" },
  barriers: { resource: "barriers", least: 0, highest: "max_barriers_per_block" },
  tensor_memory: { resource: "tensor_memory", least: 32, highest: "tensor_memory_per_multiprocessor" },
};
const TENSOR_MEMORY_UNIT = 32;
const UNKNOWN_BARRIERS = 1; // unknown barriers count as one, for __syncthreads()
const NOT_GIVEN = { smem: null, block_dim: null };
for (const { field } of DATA.inputs) NOT_GIVEN[field] = null;
// An invalid input. where: its name, if it is not the one being read.
class Refused extends Error {
  constructor(message, where = null) {
    super(message);
    this.where = where;
  }
}
// The result of a reader, or of a second function if an input is invalid.
function attempt(read, refuse) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return refuse(error);
  }
}
const roundUp = (amount, unit) => Math.ceil(amount / unit) * unit;
const divide = (amount, unit) => Math.floor(amount / unit);
const kernelOf = (values) => ({ ...NOT_GIVEN, ...values });
const isSharedMemoryGiven = ({ smem, static_smem, dynamic_smem }) => (smem ?? static_smem ?? dynamic_smem) !== null;
const sharedMemoryOf = (kernel) => kernel.smem ?? (kernel.static_smem ?? 0) + (kernel.dynamic_smem ?? 0);
const columnsOf = (kernel) => roundUp(kernel.tensor_memory ?? 0, TENSOR_MEMORY_UNIT);
const virtualResourcesOf = (kernel) => kernel.virtual_resources ?? (kernel.tensor_memory === null ? 0 : 128);
// Current amount of an adjustable resource; null if unknown.
const amountOf = (name, kernel) =>
  (name !== "smem" ? kernel[name] : isSharedMemoryGiven(kernel) ? sharedMemoryOf(kernel) : null);
// Copy a kernel with other amounts. Shared memory becomes one sum; threads lose their shape.
function changed(kernel, amounts) {
  const found = { ...kernel, ...amounts };
  if ("smem" in amounts) found.static_smem = found.dynamic_smem = null;
  if ("threads" in amounts) found.block_dim = null;
  if ("carveout" in amounts) found.carveout = { amount: amounts.carveout, unit: "bytes" };
  return found;
}

// ---- Rules of both models
function configurationOf(limits, carveout) {
  if (carveout === null) return limits.max_shared_memory_per_multiprocessor;
  if (carveout.unit === "percent") {
    return smallestConfiguration(limits, divide(limits.max_shared_memory_per_multiprocessor * carveout.amount, 100));
  }
  if (limits.shared_memory_configurations.includes(carveout.amount)) return carveout.amount;
  throw new Refused("Not on this GPU: enter 50%, or use + and −.", "carveout");
}
const smallestConfiguration = (limits, needed) =>
  limits.shared_memory_configurations.find((size) => size >= needed) ?? limits.max_shared_memory_per_multiprocessor;
function checkModes(limits, kernel) {
  if ((kernel.caching ?? kernel.shared_memory_mode ?? kernel.tensor_memory) === null) return;
  for (const name of ["caching", "shared_memory_mode", "tensor_memory"]) {
    if (kernel[name] === null) continue;
    const { needs, label } = inputOf(name.replaceAll("_", "-"));
    if (!limits[needs]) throw new Refused(`No ${label.toLowerCase()} on ${limits.compute_capability}.`, name);
  }
  const most = limits.tensor_memory_per_multiprocessor;
  if (columnsOf(kernel) > most) throw new Refused(`Out of range: 32 to ${most} in steps of 32.`, "tensor_memory");
}
// Number of blocks that share a resource; null if it does not limit them.
const sharedBy = (all, each) => (all !== null && each ? divide(all, each) : null);

// ---- The model cuda: cuda_occupancy.h of CUDA 13.5
function cuda(limits, kernel, warps) {
  const perWarp = roundUp((kernel.regs ?? 0) * limits.warp_size, limits.register_allocation_unit);
  const shared = sharedMemoryOf(kernel) + limits.reserved_shared_memory_per_block;
  const perBlock = roundUp(shared, limits.shared_memory_allocation_unit);
  const pool = poolOf(limits, kernel, perBlock);
  const inHalf = isConfinedToHalf(limits, kernel, warps, perWarp);
  const barriers = limits.version >= 90 ? kernel.barriers ?? UNKNOWN_BARRIERS : 0;
  return [
    {
      warps: isTooLarge(limits, kernel) ? 0 : blocksIn(limits.max_warps_per_multiprocessor, warps, inHalf),
      blocks: limits.max_blocks_per_multiprocessor,
      registers: registerLimit(limits, kernel, warps, perWarp, inHalf),
      shared_memory: perBlock > mostSharedMemory(limits, kernel) ? 0 : sharedBy(pool, perBlock),
      barriers: sharedBy(limits.max_barriers_per_multiprocessor, barriers),
      virtual_resources: sharedBy(limits.virtual_resources_per_multiprocessor, virtualResourcesOf(kernel)),
      tensor_memory: sharedBy(limits.tensor_memory_per_multiprocessor, columnsOf(kernel)),
    },
    { warps, registers: perWarp * warps, shared_memory: perBlock },
  ];
}
const isTooLong = (limits, { block_dim: shape }) => shape?.some((length, axis) => length > limits.max_block_dim[axis]);
const isTooLarge = (limits, kernel) => kernel.threads > limits.max_threads_per_block || isTooLong(limits, kernel);
const blocksIn = (all, each, inHalf) => (inHalf ? 2 * divide(divide(all, 2), each) : divide(all, each));
// Each sub-partition has its own register file, and a warp stays in one of them.
const warpsByRegisters = ({ max_registers_per_multiprocessor: all }, perWarp, parts) =>
  divide(divide(all, parts), perWarp) * parts;
// 6.0 rejects kernels that the rest of its family, with four sub-partitions, could not run.
const checkedParts = (limits) => limits.launch_check_sub_partitions ?? limits.sub_partitions;
// The launch check assumes the same number of warps in all sub-partitions.
const checkedRegisters = (limits, perWarp, warps) => roundUp(warps, checkedParts(limits)) * perWarp;
function registerLimit(limits, kernel, warps, perWarp, inHalf) {
  if (!kernel.regs) return null;
  if (kernel.regs > limits.max_registers_per_thread) return 0;
  if (checkedRegisters(limits, perWarp, warps) > limits.max_registers_per_block) return 0;
  const parts = checkedParts(limits);
  if (parts !== limits.sub_partitions && warpsByRegisters(limits, perWarp, parts) < warps) return 0;
  return blocksIn(warpsByRegisters(limits, perWarp, limits.sub_partitions), warps, inHalf);
}
// Caching in L1 confines a block to half of the SM, unless a half has too few registers.
function isConfinedToHalf(limits, kernel, warps, perWarp) {
  if (kernel.caching !== "ca") return false;
  if (!kernel.regs || checkedRegisters(limits, perWarp, warps) > limits.max_registers_per_block) return true;
  return divide(warpsByRegisters(limits, perWarp, limits.sub_partitions), 2) >= warps;
}
const mostSharedMemory = (limits, { shared_memory_mode: mode, opt_in }) => limits.reserved_shared_memory_per_block +
  (mode === "oversized" ? limits.max_oversized_shared_memory_per_block
    : opt_in === false ? limits.max_shared_memory_per_block : limits.max_shared_memory_per_block_optin);
// The carveout is a hint, except in the spreadsheet: the SM uses a larger configuration if one block needs it.
function poolOf(limits, kernel, perBlock) {
  const pool = configurationOf(limits, kernel.carveout);
  if (kernel.carveout === null || pool >= perBlock || !hasRuntime(limits)) return pool;
  return limits.version >= 70 ? smallestConfiguration(limits, perBlock) : limits.max_shared_memory_per_multiprocessor;
}

// ---- The model spreadsheet, for 1.x and 2.x: CUDA_Occupancy_Calculator.xls 2.4 and 11.1
function spreadsheet(limits, kernel, warps) {
  const perBlock = roundUp(sharedMemoryOf(kernel), limits.shared_memory_allocation_unit);
  const pool = configurationOf(limits, kernel.carveout);
  const fits = perBlock <= Math.min(pool, limits.max_shared_memory_per_block);
  return [
    {
      warps: divide(limits.max_warps_per_multiprocessor, warps),
      blocks: limits.max_blocks_per_multiprocessor,
      registers: spreadsheetRegisterLimit(limits, kernel, warps),
      shared_memory: fits ? sharedBy(pool, perBlock) : 0,
      barriers: null, virtual_resources: null, tensor_memory: null,
    },
    { warps, registers: spreadsheetRegisters(limits, kernel, warps), shared_memory: perBlock },
  ];
}
const isGivenToBlock = (limits) => limits.register_allocation_granularity === "block"; // 1.x
function spreadsheetRegisters(limits, kernel, warps) {
  const registers = kernel.regs ?? 0;
  if (!isGivenToBlock(limits)) return roundUp(registers * limits.warp_size, spreadsheetUnit(limits, registers)) * warps;
  const threads = roundUp(warps, limits.warp_allocation_granularity) * limits.warp_size;
  return roundUp(threads * registers, limits.register_allocation_unit);
}
// The spreadsheet searches its list as text for "R,": it finds 1 in "21,".
const isDoubled = ({ spreadsheet: { doubled_register_units: doubled } }, registers) =>
  `${doubled.join(",")},`.includes(`${registers},`);
const spreadsheetUnit = (limits, registers) => limits.register_allocation_unit * (isDoubled(limits, registers) ? 2 : 1);
function spreadsheetRegisterLimit(limits, kernel, warps) {
  if (!kernel.regs) return null;
  if (kernel.regs > limits.max_registers_per_thread) return 0;
  const registers = spreadsheetRegisters(limits, kernel, warps);
  if (isGivenToBlock(limits)) return divide(limits.max_registers_per_multiprocessor, registers);
  const granularity = limits.warp_allocation_granularity;
  return divide(divide(divide(limits.max_registers_per_block, registers / warps), granularity) * granularity, warps);
}

// ---- The result
const hasRuntime = (limits) => limits.version >= 30; // 3.0
const fewest = (each) => Math.min(each.warps, each.blocks, each.registers ?? Infinity, each.shared_memory ?? Infinity,
  each.barriers ?? Infinity, each.virtual_resources ?? Infinity, each.tensor_memory ?? Infinity); // a loop is slower
const evaluate = (limits, kernel) => new Result(limits, kernel);
class Result {
  constructor(limits, kernel) {
    Object.assign(this, { limits, kernel });
    checkModes(limits, kernel);
    const warps = Math.ceil(kernel.threads / limits.warp_size);
    [this.block_limits, this.allocated] = (hasRuntime(limits) ? cuda : spreadsheet)(limits, kernel, warps);
    this.active_blocks = fewest(this.block_limits);
    this.active_warps = this.active_blocks * warps;
  }
  get occupancy() { return this.active_warps / this.limits.max_warps_per_multiprocessor; }
  get limiters() { return RESOURCES.filter((name) => this.block_limits[name] === this.active_blocks); }
  get shared_memory_pool() { return poolOf(this.limits, this.kernel, this.allocated.shared_memory); }
  get uses() {
    const { limits, kernel, allocated } = this;
    const use = (per_block, per_multiprocessor) => ({ per_block, per_multiprocessor });
    return {
      warps: use(allocated.warps, limits.max_warps_per_multiprocessor),
      blocks: use(1, limits.max_blocks_per_multiprocessor),
      registers: use(allocated.registers, limits.max_registers_per_multiprocessor),
      shared_memory: use(allocated.shared_memory, this.shared_memory_pool),
      barriers: use(kernel.barriers ?? UNKNOWN_BARRIERS, limits.max_barriers_per_multiprocessor),
      virtual_resources: use(virtualResourcesOf(kernel), limits.virtual_resources_per_multiprocessor),
      tensor_memory: use(columnsOf(kernel), limits.tensor_memory_per_multiprocessor),
    };
  }
  get launchable() { return failureOf(this) === null; }
}
// First limit that prevents the launch: {limit, needed, allowed}; null if the kernel launches.
function failureOf(result) {
  const { limits, kernel, block_limits: allowed } = result;
  const failure = (limit, needed, most = limits[limit], along = "") => ({ limit, needed, allowed: most, along });
  if (kernel.threads > limits.max_threads_per_block) return failure("max_threads_per_block", kernel.threads);
  if (isTooLong(limits, kernel)) {
    const axis = kernel.block_dim.findIndex((length, at) => length > limits.max_block_dim[at]);
    const most = limits.max_block_dim[axis];
    return failure(`max_block_dim[${axis}]`, kernel.block_dim[axis], most, ` along ${"xyz"[axis]}`);
  }
  if (allowed.warps === 0) return failure("max_threads_per_multiprocessor", kernel.threads);
  if (hasTooMuchStatic(result)) return failure("static_smem", kernel.static_smem, mostStatic(result));
  const shared = allowed.shared_memory === 0 ? failure(...sharedMemoryFailure(result)) : null;
  if (shared && (shared.limit !== "carveout" || allowed.registers !== 0)) return shared; // the carveout is only a hint
  if (allowed.registers === 0) return failure(...registerFailure(result));
  if (allowed.barriers === 0) return failure("max_barriers_per_multiprocessor", kernel.barriers || UNKNOWN_BARRIERS);
  if (allowed.virtual_resources !== 0) return null;
  return failure("virtual_resources_per_multiprocessor", virtualResourcesOf(kernel));
}
function registerFailure({ limits, kernel, allocated: { warps, registers } }) {
  if (kernel.regs > limits.max_registers_per_thread) return ["max_registers_per_thread", kernel.regs];
  const { max_registers_per_block: most, warp_allocation_granularity: unit } = limits;
  const perWarp = registers / warps;
  let needed = registers;
  if (hasRuntime(limits)) needed = checkedRegisters(limits, perWarp, warps);
  else if (!isGivenToBlock(limits)) needed = Math.max(perWarp * roundUp(warps, unit), most);
  return [needed > most ? "max_registers_per_block" : "max_registers_per_multiprocessor", needed];
}
function sharedMemoryFailure({ limits, kernel, allocated: { shared_memory: perBlock } }) {
  if (!hasRuntime(limits)) {
    const pool = configurationOf(limits, kernel.carveout);
    if (pool < limits.max_shared_memory_per_block) return ["carveout", perBlock, pool];
    return ["max_shared_memory_per_block", perBlock];
  }
  const needed = sharedMemoryOf(kernel), rounded = perBlock - limits.reserved_shared_memory_per_block;
  let limit = "max_shared_memory_per_block_optin";
  if (kernel.shared_memory_mode === "oversized") limit = "max_oversized_shared_memory_per_block";
  else if (kernel.opt_in === false && rounded <= limits[limit]) limit = "max_shared_memory_per_block";
  return [limit, needed <= limits[limit] ? rounded : needed];
}
// ptxas rejects more static shared memory. The opt-in states a target such as sm_90a, for which it accepts more.
const mostStatic = ({ limits, kernel }) =>
  limits[`max_shared_memory_per_block${kernel.opt_in && limits.version >= 90 ? "_optin" : ""}`];
const hasTooMuchStatic = (each) => hasRuntime(each.limits) && each.kernel.static_smem > mostStatic(each);

// ---- Amounts of one input, from low to high: the last one of each allocation step. For tensor memory: powers of two,
// as tcgen05.alloc takes them, and both ends.
function amountsOf(name, limits, low, high = limits[AMOUNTS[name].highest]) {
  const { warp_size: threads, shared_memory_allocation_unit: smem } = limits;
  const unit = { threads, smem, tensor_memory: TENSOR_MEMORY_UNIT }[name] ?? 1;
  const isDoubling = name === "tensor_memory";
  const found = [low];
  for (let amount = isDoubling ? unit : roundUp(low, unit); amount < high; amount += isDoubling ? amount : unit) {
    if (amount > low) found.push(amount);
  }
  return [...found, high];
}
const withAmount = ({ limits, kernel }, name, amount) => evaluate(limits, changed(kernel, { [name]: amount }));
const knownAmount = (name, kernel) => amountOf(name, kernel) ?? (name === "barriers" ? UNKNOWN_BARRIERS : 0);
// Blocks that a resource allows, up to the most that the SM holds.
function blocksAllowed({ block_limits: allowed }, name) {
  const most = Math.min(allowed[AMOUNTS[name].resource] ?? Infinity, allowed.blocks);
  return name === "regs" ? Math.min(most, allowed.warps) : most;
}

// ---- Advice
// [{active_blocks, occupancy, requires}]: carveouts, less, two block sizes.
function nextSteps(now) {
  const { limits, kernel } = now, smem = sharedMemoryOf(kernel), most = limits.max_shared_memory_per_block;
  const dynamic = hasTooMuchStatic(now) && { smem };
  const opts = kernel.opt_in === false && smem > most && limits.max_shared_memory_per_block_optin > most;
  if (dynamic || opts) {
    const repair = { ...dynamic, ...(opts && { opt_in: true }) }, then = evaluate(limits, changed(kernel, repair));
    return [...(then.launchable ? [stepTo(then, {})] : []), ...nextSteps(then)].map(({ requires, ...step }) =>
      ({ ...step, requires: { ...(requires.smem <= most ? dynamic : repair), ...requires } }));
  }
  const steps = [...stepsByCarveout(now), ...stepsUsingLess(now)].sort((a, b) => a.active_blocks - b.active_blocks);
  steps.push(...stepsByBlockSize(now));
  const kept = steps.filter(({ requires }) => now.launchable || evaluate(limits, changed(kernel, requires)).launchable);
  if (kept.length || now.launchable) return kept;
  const threads = Math.min(now.kernel.threads, now.limits.max_threads_per_block);
  return stepsUsingLess(withAmount(now, "threads", threads)).slice(0, 1)
    .map((step) => ({ ...step, requires: { threads, ...step.requires } }));
}
const stepTo = ({ active_blocks, occupancy }, requires) => ({ active_blocks, occupancy, requires });
function stepsByCarveout({ limits, kernel, active_blocks: blocks }) {
  const reach = (amounts) => evaluate(limits, changed(kernel, amounts));
  const less = kernel.carveout && stepsUsingLess(evaluate(limits, { ...kernel, carveout: null }));
  return (less ? [{ requires: {} }, ...less] : []).flatMap(({ requires }) => {
    blocks = Math.max(blocks, reach(requires).active_blocks);
    return limits.shared_memory_configurations.map((carveout) => reach({ ...requires, carveout }))
      .filter(({ active_blocks: more }) => more > blocks && (blocks = more))
      .map((result) => stepTo(result, { ...requires, carveout: result.shared_memory_pool }));
  });
}
function stepsUsingLess(now) {
  const { limits, kernel, block_limits: allowed } = now;
  const most = kernel.caching === "ca" ? allowed.blocks : Math.min(allowed.blocks, allowed.warps);
  if (now.active_blocks === most) return [];
  const used = Object.keys(AMOUNTS).filter((name) => amountOf(name, kernel));
  const levels = used.map((name) => [name, amountsOf(name, limits, AMOUNTS[name].least, amountOf(name, kernel))
    .reverse().map((amount) => ({ amount, blocks: blocksAllowed(withAmount(now, name, amount), name) }))]);
  const found = [];
  for (let blocks = now.active_blocks + 1; blocks <= most; ) {
    const requires = {};
    for (const [name, lower] of levels) {
      if (blocksAllowed(now, name) >= blocks) continue;
      const enough = lower.find((level) => level.blocks >= blocks);
      if (!enough) return found;
      requires[name] = enough.amount;
    }
    const reached = evaluate(limits, changed(kernel, requires));
    if (reached.active_blocks < blocks) return found; // the limiting amount was not given
    found.push(stepTo(reached, requires));
    blocks = reached.active_blocks + 1;
  }
  return found;
}
// The nearest block size with more warps, and the best one.
function stepsByBlockSize(now) {
  const { limits, kernel } = now;
  const bySize = now.limiters.filter((name) => name !== "virtual_resources" && name !== "tensor_memory");
  if (now.limiters.includes("virtual_resources") && !bySize.length && now.active_blocks) return [];
  const better = [], warps = now.launchable ? now.active_warps : 0;
  for (let threads = limits.warp_size; threads <= limits.max_threads_per_block; threads += limits.warp_size) {
    const result = evaluate(limits, changed(kernel, { threads }));
    if (result.active_warps > warps && result.launchable) better.push(stepTo(result, { threads }));
  }
  better.sort((a, b) => Math.abs(a.requires.threads - kernel.threads) - Math.abs(b.requires.threads - kernel.threads));
  const [best] = better.toSorted((a, b) => b.occupancy - a.occupancy);
  return better.filter((step, at) => !at || step === best);
}
// Highest amounts that keep the blocks; null if unknown, or if nothing launches.
function slack(now) {
  const most = (name) => {
    if (!now.active_blocks || hasTooMuchStatic(now) || (/tensor/.test(name) && now.kernel[name] === null)) return null;
    const amounts = amountsOf(name, now.limits, knownAmount(name, now.kernel));
    const end = amounts.findIndex((amount) => blocksAllowed(withAmount(now, name, amount), name) < now.active_blocks);
    return amounts[(end < 0 ? amounts.length : end) - 1];
  };
  return Object.fromEntries(Object.keys(AMOUNTS).map((name) => [name, most(name)]));
}
function needsOptIn(limits, kernel) {
  const limitWith = (opt_in) => evaluate(limits, { ...kernel, opt_in }).block_limits.shared_memory;
  return !(kernel.static_smem > limits.max_shared_memory_per_block) && limitWith(true) !== 0 && limitWith(false) === 0;
}
// {launch_bounds, maxnreg} for a limit on registers; null if none applies.
function registerCap({ limits, kernel }, registers, blocks) {
  if (registers >= limits.max_registers_per_thread) return null;
  const threads = limits.launch_bound ?? kernel.threads;
  const seen = { ...limits, sub_partitions: checkedParts(limits) };
  const blocksWith = (regs) => evaluate(seen, kernelOf({ threads, regs })).active_blocks;
  const least = Math.min(blocks, blocksWith(registers)), bounds = `__launch_bounds__(${threads}, ${least})`;
  return { launch_bounds: least > blocksWith(registers + 1) ? bounds : null, maxnreg: `__maxnreg__(${registers})` };
}
// Blocks of the whole GPU. With clusters an upper bound: a cluster must stay within one GPC.
function fullWave(result, sms, clusterSize = null) {
  const slots = result.launchable ? result.active_blocks * sms : 0;
  if (clusterSize === null) return { blocks: slots, slots, cluster_size: null, clusters: null };
  const { compute_capability: cc, max_portable_cluster_size: portable } = result.limits;
  const most = result.limits.max_non_portable_cluster_size ?? Infinity;
  if (!portable && clusterSize > 1) throw new Refused(`No clusters on ${cc}.`, "cluster");
  if (clusterSize > most) throw new Refused(`At most ${most} blocks.`, "cluster");
  const clusters = divide(slots, clusterSize);
  return { blocks: clusters * clusterSize, slots, cluster_size: clusterSize, clusters };
}
function countWaves(blocks, { blocks: most, slots }) {
  const partial = blocks % most, rounds = Math.ceil(blocks / most);
  return {
    waves: blocks / most, last_wave_fill: (partial || most) / most, filling_grid_above: rounds * most,
    idle_share: (rounds * slots - blocks) / (rounds * slots), filling_grid_below: blocks - partial || null,
  };
}

// ---- The arithmetic of the model cuda: [{resource, steps}]
function explain(result) {
  const { limits, kernel, allocated, uses } = result;
  const isVirtual = kernel.virtual_resources !== null || kernel.tensor_memory !== null;
  const isShown = kernel.barriers !== null || result.limiters.includes("barriers");
  const none = (isGiven) => [`no limit${isGiven ? ": the kernel uses none" : ", because no value is given"}`];
  const counted = (name, since, note = "") => {
    if (!uses[name].per_block) return none(true);
    return [result.block_limits[name] === null ? `no limit before ${since}` : sharingStep(result, name, "", note)];
  };
  const found = {
    warps: explainWarps(result),
    blocks: [`at most ${blocksBy(result, "blocks")} per SM`],
    registers: kernel.regs ? explainRegisters(result) : none(kernel.regs !== null),
    shared_memory: allocated.shared_memory ? explainSharedMemory(result) : none(isSharedMemoryGiven(kernel)),
    barriers: isShown && counted("barriers", "9.0", kernel.barriers === null ? " (not given: counted as one)" : ""),
    virtual_resources: isVirtual && counted("virtual_resources", "10.0"),
    tensor_memory: kernel.tensor_memory !== null && [sharingStep(result, "tensor_memory", " columns")],
  };
  const commas = (step) => step.replace(/\d{4,}/g, grouped);
  return Object.entries(found).flatMap(([resource, steps]) => (steps ? [{ resource, steps: steps.map(commas) }] : []));
}
const blocksBy = (result, resource) => words.count(result.block_limits[resource], "block");
const warpsOf = ({ allocated }) => words.count(allocated.warps, "warp");
function sharingStep(result, resource, unit = "", note = "") { // 64 per SM // 16 = 4 blocks
  const { per_block: each, per_multiprocessor: all } = result.uses[resource];
  return `${all}${unit} per SM // ${each}${note} = ${blocksBy(result, resource)}`;
}
// Last steps of a limit in warps: on the whole SM, or on each half of it.
function warpSteps(result, resource, warps, unit = "") {
  const { limits, kernel, allocated } = result;
  if (!isConfinedToHalf(limits, kernel, allocated.warps, allocated.registers / allocated.warps)) {
    return [`${warps}${unit} // ${warpsOf(result)} = ${blocksBy(result, resource)}`];
  }
  const half = divide(warps, 2);
  return [
    `${warps}${unit} / 2 = ${half} in each half, to which caching of global loads confines a block`,
    `${half} // ${warpsOf(result)} = ${divide(half, allocated.warps)}, x 2 = ${blocksBy(result, resource)}`,
  ];
}
function explainWarps(result) {
  const { limits, kernel } = result, threads = words.count(kernel.threads, "thread");
  const rounded = kernel.threads % limits.warp_size ? ", rounded up to whole warps" : "";
  const steps = kernel.block_dim ? [`${kernel.block_dim.join(" x ")} = ${threads}`] : [];
  steps.push(`${threads} / ${limits.warp_size}${rounded} = ${warpsOf(result)}`);
  const failure = isTooLarge(limits, kernel) && failureOf(result);
  if (failure) return [...steps, `${failure.needed} > ${failure.allowed}, the maximum${failure.along}: 0 blocks`];
  return [...steps, ...warpSteps(result, "warps", limits.max_warps_per_multiprocessor, " warps per SM")];
}
function explainRegisters(result) {
  const { limits, kernel, allocated: { warps, registers } } = result;
  const { max_registers_per_thread: most, max_registers_per_block: allowed, sub_partitions: files } = limits;
  const perWarp = registers / warps, perThread = words.count(kernel.regs, "register");
  if (kernel.regs > most) return [`${perThread} per thread > ${most}: 0 blocks`];
  const exact = `${perThread} x ${limits.warp_size} threads = ${kernel.regs * limits.warp_size}`;
  const steps = [`${exact}, rounded up to a multiple of ${limits.register_allocation_unit}: ${perWarp} per warp`];
  const checked = checkedRegisters(limits, perWarp, warps), parts = checkedParts(limits);
  const counted = checked === registers ? "" : `, rounded up to ${checked / perWarp} for ${parts} sub-partitions,`;
  const check = `launch check: ${warpsOf(result)}${counted} x ${perWarp} = ${checked}`;
  if (checked > allowed) return [...steps, `${check} > ${allowed} per block: 0 blocks`];
  steps.push(`${check} <= ${allowed} per block: passes`);
  const inFamily = warpsByRegisters(limits, perWarp, parts);
  if (parts !== files && inFamily < warps) {
    return [...steps, `launch check: ${words.count(inFamily, "warp")} fit in ${parts} sub-partitions: 0 blocks`];
  }
  const all = limits.max_registers_per_multiprocessor;
  const [share, fitting] = [divide(all, files), warpsByRegisters(limits, perWarp, files)];
  return [
    ...steps, `${all} per SM / ${files} sub-partitions = ${share}`,
    `${share} per sub-partition // ${perWarp} = ${words.count(fitting / files, "warp")}, x ${files} = ${fitting}`,
    ...warpSteps(result, "registers", fitting),
  ];
}
function explainSharedMemory(result) {
  const { limits, kernel, shared_memory_pool: pool, allocated: { shared_memory: perBlock } } = result;
  const reserved = limits.reserved_shared_memory_per_block, own = sharedMemoryOf(kernel);
  const isSplit = kernel.smem === null && kernel.static_smem !== null && kernel.dynamic_smem !== null;
  const terms = [isSplit ? `${kernel.static_smem} static + ${kernel.dynamic_smem} dynamic` : words.count(own, "byte")];
  if (reserved) terms.push(`${reserved} reserved by CUDA`);
  const total = isSplit || reserved ? ` = ${own + reserved}` : "";
  const unit = limits.shared_memory_allocation_unit;
  const steps = [`${terms.join(" + ")}${total}, rounded up to a multiple of ${unit}: ${perBlock} per block`];
  const most = mostSharedMemory(limits, kernel);
  if (perBlock > most) {
    const withReserved = reserved ? ` with the ${reserved} reserved` : "";
    return [...steps, `${perBlock} > ${most}, the maximum per block${withReserved}: 0 blocks`];
  }
  const chosen = configurationOf(limits, kernel.carveout), { amount, unit: kind } = kernel.carveout ?? {};
  const all = limits.max_shared_memory_per_multiprocessor;
  const share = kind === "percent"
    && `${amount}% of ${all} = ${divide(all * amount, 100)}, rounded up to the next size: `;
  steps.push(`shared memory configuration: ${share || (kind ? "as set, " : "the largest, ")}${chosen}`);
  if (pool !== chosen) steps.push(`${chosen} is too small for one block: ${pool}`);
  return [...steps, `${pool} // ${perBlock} = ${blocksBy(result, "shared_memory")}`];
}
