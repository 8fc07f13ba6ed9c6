// What the tests call; results go through JSON.
function resultsOf(text) {
  return JSON.stringify(JSON.parse(text).map(([cc, values]) => {
    try {
      const result = evaluate(limitsOf(cc), kernelOf(values));
      const steps = nextSteps(result);
      const { block_limits, allocated, active_blocks, active_warps, occupancy, limiters, uses } = result;
      return {
        block_limits, allocated, active_blocks, active_warps, occupancy, limiters, uses,
        failure: failureOf(result),
        next_steps: steps,
        caps: steps.map(({ requires, active_blocks }) => (requires.regs === undefined ? null : registerCap(result, requires.regs, active_blocks))),
        slack: slack(result),
        needs_opt_in: needsOptIn(result.limits, result.kernel),
        arithmetic: (hasRuntime(result.limits) ? explain(result) : []).map(({ resource, steps }) => [resource, steps]),
      };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return error.where;
    }
  }));
}
// The points of the curves, and those that are not the result at that value.
function curvesOf(text) {
  let points = 0;
  const wrong = [];
  for (const [cc, values] of JSON.parse(text)) {
    const launch = { limits: limitsOf(cc), kernel: kernelOf(values) };
    try {
      evaluate(launch.limits, launch.kernel);
    } catch {
      continue; // nothing is drawn of it
    }
    for (const [name, step] of [["threads", 32], ["regs", 1], ["smem", 32]]) {
      const runs = curveOf(launch, name);
      const end = runs[runs.length - 1].last;
      for (let value = { threads: 32, regs: 1, smem: 0 }[name]; value <= end; value += step) {
        const run = runAt(runs, value);
        const result = evaluate(launch.limits, changed(launch.kernel, { [name]: value }));
        points += 1;
        const differs = run.warps !== result.active_warps || run.share !== result.occupancy;
        if (run.first > value || differs) wrong.push([values, name, value, run]);
      }
    }
  }
  return JSON.stringify([points, wrong.slice(0, 3)]);
}
// By names, which V8 reads faster than it loops over RESOURCES.
function limiterBits({ active_blocks: n, block_limits: each }) {
  return (each.warps === n) | (each.blocks === n) << 1 | (each.registers === n) << 2 | (each.shared_memory === n) << 3 |
    (each.barriers === n) << 4 | (each.virtual_resources === n) << 5 | (each.tensor_memory === n) << 6;
}
let lastGrid;
// Blocks, and the limiters as bits, of every combination; blocks and bits turn by turn.
function gridOf(text) {
  const { cc, threads, registers, sizes } = JSON.parse(text);
  const limits = limitsOf(cc);
  const kernel = kernelOf({ threads: 1, regs: 0, smem: 0 });
  const found = new Uint8Array(2 * threads.length * registers.length * sizes.length);
  let at = 0;
  for (kernel.threads of threads) for (kernel.regs of registers) for (kernel.smem of sizes) {
    const result = evaluate(limits, kernel);
    found[at++] = result.active_blocks;
    found[at++] = limiterBits(result);
  }
  lastGrid = found.buffer; // Python reads its bytes by their address
  return lastGrid;
}
