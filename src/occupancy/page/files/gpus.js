// GPUs by name, with the rules of --gpu and --cc: 9.0, sm_90a, hopper, A100, rtx4090, 980.
const NOISE = /nvidia|geforce|tesla|gpu|graphics|edition|with|design/g; // optional words
const FAMILIES = ["quadro", "rtx", "gtx", "gts", "gt"];
const CC = /^(?:sm_?|compute_?|cc\s*)?(\d{1,2})\.?(\d)[af]?(?:\+ptx|-real|-virtual)?$/i;
const wordsIn = (text) => text.toLowerCase().replace(NOISE, " ").match(/[a-z0-9]+/g) ?? [];
const keyOf = (text) => wordsIn(text).join("");
const GPUS = DATA.gpus.map((line) => line.split("|")).map(([cc, name, sms, chip, market, memory = "", also = ""]) => {
  let common = name.replace(/ Rev\. \d+/g, "");
  const withoutChip = common.endsWith(chip) ? common.slice(0, -chip.length) : common;
  if (/\d/.test(withoutChip)) common = withoutChip; // else the chip is the name: Quadro GP100
  const described = `${name} ${also} ${chip} ${market} ${memory && `${memory} GB`} ${limitsOf(cc).architecture}`;
  return {
    cc, name, sms: Number(sms), chip,
    keys: [name, `${name} ${chip}`, common, also].map(keyOf),
    short: wordsIn(common).filter((part) => !FAMILIES.includes(part)).join(""),
    text: described.toLowerCase().match(/[a-z0-9]+/g).join(" "),
  };
});
// sm_90a -> 9.0; null if it is no compute capability
const ccOf = (text) => CC.exec(text ?? "")?.slice(1).join(".") ?? null;
function gpusNamed(text) {
  const key = keyOf(text);
  if (!key) return [];
  const named = GPUS.filter((each) => each.keys.includes(key));
  return named.length ? named : GPUS.filter((each) => each.short === key);
}
// Letters and digits may be apart and a number may follow (SXM in SXM5), but A10 is not found in A10G.
function expressionOf(part) {
  const parts = part.match(/[a-z]+|[0-9]+/g);
  return new RegExp(`\\b${parts.join(" ?")}(?![a-z])${/\d$/.test(part) ? "(?![0-9])" : ""}`);
}
function gpusWith(text) {
  const parts = wordsIn(text).length ? wordsIn(text) : (text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  const withAll = (wanted) => {
    const all = wanted.filter(Boolean).map(expressionOf);
    return all.length ? GPUS.filter((each) => all.every((expression) => expression.test(each.text))) : [];
  };
  const ways = [parts, [parts.join("")], parts.filter((part) => part !== "quadro")];
  return ways.map(withAll).find((found) => found.length) ?? [];
}
const gpuOf = (values) => ({ cc: null, name: null, sms: null, range: "", error: "", choices: [], ...values });
const POPULAR = Object.values(DATA.known_by).reverse().map(keyOf);
const isPopular = ({ short, keys }) => POPULAR.includes(short) || keys.some((key) => POPULAR.includes(key));
const BY_USE = [...GPUS].sort((a, b) => isPopular(b) - isPopular(a) || b.sms - a.sms);
// {cc, name, sms, range, error, choices}. If variants differ in SMs, sms is null and range has both ends.
// choices: names to offer for an ambiguous one.
function findGpu(typed) {
  const text = typed.trim();
  if (!text) return gpuOf({ error: "Enter a GPU, such as H100, RTX 4090 or 9.0." });
  const wanted = text.toLowerCase().split(/[\s_-]+/).join(" ");
  const namesOf = (architecture) => [architecture, architecture.split(" ")[0]].map((name) => name.toLowerCase());
  const rows = LIMITS.filter(({ architecture }) => namesOf(architecture).includes(wanted));
  const choices = rows.map((each) => each.compute_capability);
  if (choices.length > 1) return gpuOf({ error: `${text} is ${words.list(choices)}.`, choices });
  const cc = choices[0] ?? ccOf(text);
  if (cc && limitsOf(cc)) return gpuOf({ cc });
  const named = gpusNamed(text);
  const isNumber = named.length > 0 && /^\d+$/.test(text); // 980
  if (cc && !isNumber) return gpuOf({ error: `No compute capability ${cc}.` });
  const gpus = named.length ? named : gpusWith(text);
  const ccs = [...new Set(gpus.map((each) => each.cc))];
  if (ccs.length !== 1) {
    const start = keyOf(text.replace(/(?<=\d)\D.*/, "")) || "?"; // A100 of A100 80G
    const number = start.replace(new RegExp(`^(${FAMILIES.join("|")})+(?=\\d)`), ""); // 5090 of GTX 5090
    const begins = ({ short, keys }) => short.startsWith(number) || keys.some((key) => key.startsWith(start));
    const alike = BY_USE.filter((each) => gpus.includes(each) || (!gpus.length && begins(each)));
    const choices = alike.sort((a, b) => begins(b) - begins(a)).map(({ name }) => name);
    const none = choices.length ? "matches no GPU exactly." : "matches no GPU. Enter one such as H100, 9.0.";
    return gpuOf({ error: `“${text.slice(0, 20)}” ${gpus.length ? `may be ${gpus.length} GPUs.` : none}`, choices });
  }
  const cased = text.replace(/\w+/g, (word) => new RegExp(word, "i").exec(gpus[0].name) ?? word); // H200 of h200
  const name = gpus.length > 1 ? cased : gpus[0].name;
  const [least, ...more] = [...new Set(gpus.map((each) => each.sms))].sort((a, b) => a - b);
  return gpuOf({ cc: ccs[0], name, ...(more.length ? { range: `${least} to ${more.pop()}` } : { sms: least }) });
}
// The name found, or the compute capability; without commas, which separate pins in a link.
const fullNameOf = (text) => findGpu(text.replaceAll(",", " ")).name ?? findGpu(text).cc;
const familyOf = ({ compute_capability: cc, architecture }) =>
  (DATA.known_by[cc] ? `${architecture} (${DATA.known_by[cc]})` : architecture);
