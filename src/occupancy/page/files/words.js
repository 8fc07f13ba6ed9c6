// How numbers and names are written, as in the library's text.

const words = {
  // 75%, 62.5%; halves go up, and what is not nothing is never shown as nothing.
  percent(share) {
    const tenths = Math.floor(1000 * share + 0.5);
    if (share > 0 && !tenths) return "<0.1%";
    return (tenths / 10).toFixed(1).replace(/\.0$/, "") + "%";
  },
  // 96 KiB, 9.125 KiB, 1,001 bytes
  size(bytes) {
    if (bytes && bytes % 128 === 0 && bytes >= 1024) {
      return grouped((bytes / 1024).toFixed(3).replace(/\.?0+$/, "")) + " KiB";
    }
    return words.count(bytes, "byte");
  },
  count: (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`,
  name: (resource) => QUANTITIES[resource]?.label ?? resource.replaceAll("_", " "),
  title: (identifier) => py.capitalize(words.name(identifier)),
  amount(resource, quantity) {
    const { unit } = QUANTITIES[resource] ?? {};
    return unit === "bytes" ? words.size(quantity) : `${grouped(quantity)} ${unit ?? ""}`.trim();
  },
  held: (blocks, share) => `${words.count(blocks, "block")}, ${words.percent(share)}`,
  listing: (all) => (all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}` : all.join("")),
};
