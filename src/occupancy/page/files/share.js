// The question as a link, a command line, Python, and the answer as Markdown.

const NAMES = () => ["kernel", "cc", "gpu", ...DATA.inputs.map((each) => each.name), "model", "grid", "cluster", "sms"];

function toFragment(fields, held) {
  const isInput = (name) => DATA.inputs.some((each) => each.name === name);
  const of = (from, prefix) => NAMES().filter((name) => from[name]).map((name) => [prefix + name, isInput(name) ? from[name].replaceAll(" ", "") : from[name]]);
  return `#${new URLSearchParams([...of(fields, ""), ...of(held ?? {}, "a.")])}`;
}

// {fields, held}; unknown names and chips are left out, and what is not a value shows as an error of its field.
function fromFragment(fragment) {
  const pairs = new URLSearchParams(fragment.replace(/^#/, ""));
  const read = (prefix) => {
    const fields = {};
    for (const name of NAMES()) {
      const value = pairs.get(prefix + name);
      if (value !== null) fields[name] = value.slice(0, 200);
    }
    const smem = pairs.get(`${prefix}smem`);
    if (smem !== null) fields["dynamic-smem"] = smem.slice(0, 100);
    if (!chipOf(fields.cc)) fields.cc = undefined;
    return Object.values(fields).some(Boolean) ? fields : null;
  };
  return { fields: read(""), held: read("a.") };
}

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
