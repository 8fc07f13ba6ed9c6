// The question as a link, a command line, Python, and the answer as Markdown.

const NAMES = () => ["kernel", "cc", "gpu", ...DATA.inputs.map((each) => each.name), "model", "grid", "cluster", "sms"];

function toFragment(fields, held) {
  const isInput = (name) => DATA.inputs.some((each) => each.name === name);
  const of = (from, prefix) => NAMES().filter((name) => from[name]).map((name) => [prefix + name, isInput(name) ? from[name].replaceAll(" ", "") : from[name]]);
  return `#${new URLSearchParams([...of(fields, ""), ...of(held ?? {}, "a.")])}`;
}

// {fields, held, unknown}: the texts by the names of their fields, and the names, or what is given by them, that the
// page does not know. What is not a value shows as an error of its field.
function fromFragment(fragment) {
  const found = { "": {}, "a.": {} };
  const unknown = [];
  for (const [given, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const [, prefix, said] = /^((?:a\.)?)(.*)/s.exec(given);
    const fields = found[prefix];
    const name = { ...DATA.aliases, smem: "dynamic-smem" }[said] ?? said;
    const flag = DATA.inputs.find((each) => each.kind === "flag" && (name === `no-${each.name}` || (name === each.name && !value)))?.name;
    if (flag) fields[flag] = flag === name ? "yes" : "no"; // as on the command line
    else if (!NAMES().includes(name)) unknown.push(given);
    else if ((name === "cc" && !chipOf(ccOf(value))) || (name === "model" && !(value in MODELS))) unknown.push(`${given}=${value}`);
    else fields[name] = name === "cc" ? ccOf(value) : value.slice(0, 200);
  }
  const [fields, held] = Object.values(found).map((each) => (Object.values(each).some(Boolean) ? each : null));
  return { fields, held, unknown: unknown.slice(0, 9).map((each) => each.slice(0, 60)) };
}

const notKnown = (names) => `The link has what the page does not know: ${words.listing(names)}.`;

const quoted = (text) => (/^[\w.,%x:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The inputs that count for the chip, as [input, text].
const given = (fields, limits) =>
  DATA.inputs.filter((each) => isOffered(each, limits) && fields[each.name]?.trim()).map((each) => [each, fields[each.name].trim()]);

function toCommand(fields, question) {
  const { limits, model } = question;
  const cc = String(limits.compute_capability);
  const product = findProduct(fields.gpu ?? "");
  const parts = ["occupancy calc", product.cc === cc && product.name ? `--gpu ${quoted(product.name)}` : `--cc ${cc}`];
  for (const [input, text] of given(fields, limits)) {
    if (input.kind === "flag") parts.push(text === "yes" ? `--${input.name}` : `--no-${input.name}`);
    else parts.push(`--${input.name} ${plainText(input, text, question.kernel)}`);
  }
  if (model !== defaultModel(limits)) parts.push(`--model ${model}`);
  const { errors } = readLaunch(fields, question);
  const launch = errors.sms ? [] : EXTRA.filter((each) => isOffered(each, limits));
  for (const { name } of launch) if (fields[name]?.trim() && !errors[name]) parts.push(`--${name} ${quoted(fields[name].trim())}`);
  return parts.join(" ");
}

// What is typed here may be more than a shell or the command line reads: 27.5 KiB, (16, 16).
function plainText(input, text, kernel) {
  const joined = text.replaceAll(" ", "");
  if (/^[\w.]+%?$/.test(joined)) return joined;
  if (input.kind === "shape") return kernel.block_dim ? kernel.block_dim.join("x") : String(kernel.threads);
  if (input.kind === "carveout") return kernel.carveout ? String(kernel.carveout.amount) : "default";
  return String(kernel[input.field]);
}

function toPython(fields, question) {
  const { limits, kernel, model } = question;
  const parts = [JSON.stringify(String(limits.compute_capability))];
  for (const [input] of given(fields, limits)) parts.push(`${input.field}=${pythonValue(input, kernel)}`);
  if (model !== defaultModel(limits)) parts.push(`model="${model}"`);
  return `import occupancy\n\nprint(occupancy.compute(${parts.join(", ")}))`;
}

function pythonValue(input, kernel) {
  if (input.kind === "shape") return kernel.block_dim ? `(${kernel.block_dim.join(", ")})` : kernel.threads;
  if (input.kind === "carveout") {
    if (!kernel.carveout) return '"default"';
    return kernel.carveout.unit === "percent" ? `"${kernel.carveout}"` : kernel.carveout.amount;
  }
  const value = kernel[input.field];
  return typeof value === "string" ? `"${value}"` : py.str(value);
}

function toMarkdown(fields, question) {
  const { answer } = question;
  const rows = resourceRows(answer).map((row) => {
    const name = row.isLimiter ? `**${row.name}**` : row.name;
    return `| ${name} | ${row.perBlock} | ${row.perSm} | ${row.blocks} |`;
  });
  const lines = [
    `${fields.kernel ? `\`${fields.kernel.replaceAll("`", "")}\`: ` : ""}**${words.percent(answer.occupancy)} occupancy** ${whereOf(fields, question)}: ${amountsOf(answer)}. ${verdictOf(answer)}`,
    "",
    "| Resource | Per block | Per SM | Blocks that fit |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
  ];
  const { lead, at_once: atOnce, levels, sizes } = stepsOf(answer, [...nextSteps(answer)]);
  const steps = [...atOnce, ...levels, ...sizes].map((step) => `${words.held(step.active_blocks, step.occupancy)}: ${changesWords(answer, step)}`);
  if (lead) steps.unshift(lead);
  if (steps.length) lines.push("", "Next steps:", "", ...steps.map((step) => `- ${step}`));
  lines.push("", `\`${toCommand(fields, question)}\``);
  return lines.join("\n");
}
