// Texts of numbers and names, as in the library, and the limits of every compute capability.
const DATA = JSON.parse(document.getElementById("data").textContent);
function grouped(number) {
  const [whole, ...fraction] = String(number).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}
const words = {
  // 75%, 62.5%. Halves go up; only 0 is 0%, only 1 is 100%.
  percent(share) {
    const tenths = Math.floor(1000 * share + 0.5);
    if (share > 0 && !tenths) return "<0.1%";
    if (share < 1 && tenths === 1000) return ">99.9%";
    return (tenths / 10).toFixed(1).replace(/\.0$/, "") + "%";
  },
  // 96 KiB, 9.125 KiB, 1,001 bytes
  size(bytes) {
    if (bytes % 128 || bytes < 1024) return words.count(bytes, "byte");
    return `${grouped((bytes / 1024).toFixed(3).replace(/\.?0+$/, ""))} KiB`;
  },
  decimal: (value, at = 2) => value % 1 && !(value.toFixed(at) % 1) ? words.decimal(value, at + 1) : value.toFixed(at),
  count: (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`,
  name: (resource) => ({ regs: "registers", smem: "shared memory" })[resource] ?? resource.replaceAll("_", " "),
  title: (resource) => words.name(resource).replace(/^./, (letter) => letter.toUpperCase()),
  amount(resource, amount) {
    if (/^smem|shared_mem|carveout/.test(resource)) return words.size(amount);
    return resource === "tensor_memory" ? words.count(amount, "column") : grouped(amount);
  },
  // 1 barrier, 8,192 registers, 4 KiB of shared memory
  some(resource, amount) {
    const name = words.name(resource).replace(/s$/, amount === 1 ? "" : "s");
    return `${words.amount(resource, amount)} ${name.endsWith("memory") ? "of " : ""}${name}`;
  },
  list: (all) => (all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}` : all.join("")),
};
const LIMITS = DATA.limits.compute_capability.map((cc, at) => {
  const limits = Object.fromEntries(Object.entries(DATA.limits).map(([name, values]) => [name, values[at]]));
  const warps = limits.max_threads_per_multiprocessor / limits.warp_size;
  return { ...limits, version: Number(cc.replace(".", "")), max_warps_per_multiprocessor: warps };
});
// Limits of a compute capability; launch bounds such as "256, 4" lower the largest block.
function limitsOf(cc, bounds = "") {
  const limits = LIMITS.find((each) => each.compute_capability === cc);
  const most = parseInt(bounds, 10);
  if (!limits || !most) return limits;
  return { ...limits, launch_bound: most, max_threads_per_block: Math.min(most, limits.max_threads_per_block) };
}
