// GPUs by name, with the rules of --gpu and --cc: 9.0, sm_90a, hopper, A100, rtx4090, 980.
const NOISE = /nvidia|geforce|tesla|gpu|graphics|edition|with|design/g; // optional words
const FAMILIES = ["quadro", "rtx", "gtx", "gts", "gt"];
const CC = /^(?:sm_?|compute_?|cc\s*)?(\d{1,2})\.?(\d)[af]?(?:\+ptx|-real|-virtual)?$/i;
const wordsIn = (text) => text.toLowerCase().replace(NOISE, " ").match(/[a-z0-9]+/g) ?? [];
const keyOf = (text) => wordsIn(text).join("");

const GPUS = DATA.gpus.map((line) => line.split("|")).map(([cc, name, sms, chip, market, memory, also]) => {
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
function ccOf(text) {
  const [, major, minor] = CC.exec(text ?? "") ?? [];
  return major === undefined ? null : `${Number(major)}.${minor}`;
}

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

const gpuOf = (values) => ({ cc: null, name: null, sms: null, range: "", error: "", ...values });

// {cc, name, sms, range, error}. If variants differ in SMs, sms is null and range has both ends.
function findGpu(typed) {
  const text = typed.trim();
  if (!text) return gpuOf({ error: "Enter a GPU, such as H100, RTX 4090 or 9.0." });
  const wanted = text.toLowerCase().split(/[\s_-]+/).join(" ");
  const namesOf = (architecture) => [architecture, architecture.split(" ")[0]].map((name) => name.toLowerCase());
  const rows = LIMITS.filter(({ architecture }) => namesOf(architecture).includes(wanted));
  const [row, ...others] = rows.map((each) => each.compute_capability);
  if (others.length) return gpuOf({ error: `${text} is ${words.list([row, ...others])}. Enter one of them.` });
  const cc = row ?? ccOf(text);
  if (cc && limitsOf(cc)) return gpuOf({ cc });
  const named = gpusNamed(text);
  const isNumber = named.length > 0 && /^\d+$/.test(text); // 980
  if (cc && !isNumber) return gpuOf({ error: `No compute capability ${cc}. See “All compute capabilities”.` });
  const gpus = named.length ? named : gpusWith(text);
  if (!gpus.length) {
    const begins = (key) => key.startsWith(keyOf(text) || "?");
    const names = [...LIMITS.map(({ architecture }) => [architecture, keyOf(architecture)]),
      ...[...GPUS].sort((a, b) => b.sms - a.sms).map(({ name, short, keys }) => [name, short, ...keys])];
    const alike = [...new Set(names.filter(([, ...keys]) => keys.some(begins)).map(([name]) => name))].slice(0, 2);
    const advice = alike.length ? `Did you mean ${alike.join(" or ")}?` : "Enter one such as H100 or 9.0.";
    return gpuOf({ error: `No GPU “${text.slice(0, 20)}”. ${advice}` });
  }
  const ccs = [...new Set(gpus.map((each) => each.cc))];
  const found = `${words.count(gpus.length, "GPU")} with compute capability ${words.list(ccs.slice(0, 5))}`;
  if (ccs.length > 1) return gpuOf({ error: `${found}. Add a word, such as ${gpus[0].name}.` });
  const at = gpus[0].name.toLowerCase().indexOf(text.toLowerCase());
  const part = at < 0 ? text : gpus[0].name.slice(at, at + text.length); // v100 is V100
  const name = gpus.length > 1 ? part : gpus[0].name;
  const [least, ...more] = [...new Set(gpus.map((each) => each.sms))].sort((a, b) => a - b);
  return gpuOf({ cc: ccs[0], name, ...(more.length ? { range: `${least} to ${more.pop()}` } : { sms: least }) });
}

function familyOf({ compute_capability: cc, architecture }) {
  return DATA.known_by[cc] ? `${architecture} (${DATA.known_by[cc]})` : architecture;
}
