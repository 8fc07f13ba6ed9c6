// How numbers and names are written, as in the library's text, and the limits of every compute capability.

const DATA = JSON.parse(document.getElementById("data").textContent);

// 1,536
function grouped(number) {
  const [whole, ...fraction] = String(number).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}

const NAMES = {
  warps: "warps", blocks: "blocks", registers: "registers", shared_memory: "shared memory", barriers: "barriers", virtual_resources: "virtual resources",
  tensor_memory: "tensor memory", regs: "registers", smem: "shared memory", threads: "block size",
};

const words = {
  // 75%, 62.5%; halves go up, and more than nothing is never shown as 0%.
  percent(share) {
    const tenths = Math.floor(1000 * share + 0.5);
    if (share > 0 && !tenths) return "<0.1%";
    return (tenths / 10).toFixed(1).replace(/\.0$/, "") + "%";
  },
  // 96 KiB, 9.125 KiB, 1,001 bytes
  size(bytes) {
    if (bytes && bytes % 128 === 0 && bytes >= 1024) return grouped((bytes / 1024).toFixed(3).replace(/\.?0+$/, "")) + " KiB";
    return words.count(bytes, "byte");
  },
  count: (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`,
  name: (resource) => NAMES[resource] ?? resource.replaceAll("_", " "),
  title: (resource) => words.name(resource).replace(/^./, (letter) => letter.toUpperCase()),
  amount: (resource, amount) => (/^s(hared_|)mem/.test(resource) ? words.size(amount) : resource === "tensor_memory" ? words.count(amount, "column") : grouped(amount)),
  list: (all) => (all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}` : all.join("")),
};

// A limit is written once for all neighbouring compute capabilities that have it in common.
const LIMITS = (() => {
  const rows = [];
  for (const [name, runs] of Object.entries(DATA.limits)) {
    runs.flatMap(([count, value]) => Array(count).fill(value)).forEach((value, at) => ((rows[at] ??= {})[name] = value));
  }
  for (const each of rows) {
    const [major, minor] = each.compute_capability.split(".");
    each.version = 10 * Number(major) + Number(minor);
    each.max_warps_per_multiprocessor = each.max_threads_per_multiprocessor / each.warp_size;
  }
  return rows;
})();

const limitsOf = (cc) => LIMITS.find((each) => each.compute_capability === cc);
