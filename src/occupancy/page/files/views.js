// What is shown of an answer. Each view fills its section again after every change.

function whereOf(fields, { limits }) {
  const cc = String(limits.compute_capability);
  const isProduct = findProduct(fields.gpu ?? "").cc === cc;
  return `on ${isProduct ? `${fields.gpu}, ` : ""}compute capability ${cc} (${limits.architecture})`;
}

function amountsOf(answer) {
  const warps = answer.limits.max_warps_per_multiprocessor;
  return `${answer.active_warps} of ${warps} warps, ${words.count(answer.active_blocks, "block")} of ${words.count(answer.kernel.threads, "thread")}, ${words.count(answer.active_threads, "thread")} per SM`;
}

// Whether it launches, and why not or what limits it.
function verdictParts(answer) {
  if (!answer.launchable) return ["Does not launch:", answer.reason];
  const isAfter = needsOptIn(answer.limits, answer.kernel) && answer.kernel.opt_in !== true;
  const launches = refusedByCompiler(answer) ? "Does not compile." : isAfter ? "It launches after the opt-in below." : "It launches.";
  return [launches, limitedBy(answer, answer.kernel, tensorMemory(answer))];
}

const limitersOf = ({ limiters, kernel }) => words.listing(limiters.map((name) => nameOf(name, kernel)));

const verdictOf = (answer) => verdictParts(answer).join(" ");

function showVerdict(fields, question, launch, copy) {
  const { answer, limits } = question;
  const warps = limits.max_warps_per_multiprocessor;
  const [launches, why] = verdictParts(answer);
  const runs = launches.startsWith("It");
  const [figure, ...others] = [
    element("p", { class: "figure" }, words.percent(answer.occupancy)),
    element(
      "div",
      { class: "said" },
      fields.kernel && element("p", { class: "kernel" }, fields.kernel),
      element("p", { class: "where" }, whereOf(fields, question)),
      element("p", { class: "amounts" }, amountsOf(answer)),
      element("p", { class: runs ? "" : "broken" }, element("strong", {}, `${launches} `), why),
    ),
  ];
  const copies = ["Link", "Command", "Python", "Markdown"].map((kind) => button(kind, `copy ${kind}`, () => copy(kind)));
  const said = [...notesOn(answer), onceRelinquished(answer)].filter(Boolean);
  if (answer.occupancy_by_threads !== answer.occupancy) {
    said.push(`${words.percent(answer.occupancy_by_threads)} by threads: the last warp of each block is not full.`);
  }
  if (answer.model === "spreadsheet") said.push("By the rules of NVIDIA's spreadsheet CUDA_Occupancy_Calculator.xls.");
  fill(byId("verdict"), [
    element("div", { class: "headline" }, figure, others),
    multiprocessor(answer, warps),
    element("div", {}, launchLines(launch, answer), said.map((text) => note(text))),
    element("p", { class: "asked" }, element("code", {}, toCommand(fields, question))),
    element("p", { class: "copies" }, element("span", {}, "Copy as"), copies),
  ]);
}

// The warp slots of the SM, with the resident blocks in them.
function multiprocessor(answer, warps) {
  const [width, height, gap] = [1000, 22, 2];
  const each = width / warps;
  const length = answer.allocated.warps * each;
  const blocks = py.range(answer.active_blocks).map((block) => `M${block * length + gap / 2} 0h${Math.max(1, length - gap)}v${height}h-${Math.max(1, length - gap)}z`);
  const slots = py.range(1, warps).map((slot) => `M${slot * each} 0v${height}`);
  return drawn(
    "svg",
    { class: "sm", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("path", { d: slots.join(""), class: "slot" }),
    drawn("path", { d: blocks.join(""), class: "block" }),
  );
}

function launchLines({ wave, run }, answer) {
  if (!wave) return [];
  const most = wave.is_upper_bound ? "at most " : "";
  const clusters = wave.cluster_size ? ` in ${words.count(wave.clusters, "cluster")} of ${wave.cluster_size}` : "";
  const measured = wave.measured ? `; one ${wave.measured.gpu} was measured to hold ${grouped(wave.measured.blocks)} blocks in ${wave.measured.clusters} clusters` : "";
  const lines = [`Whole GPU: ${most}${words.count(wave.blocks, "block")}${clusters} on ${words.count(wave.multiprocessor_count, "SM")} at once${measured}.`];
  for (const each of [run, run?.as_measured]) {
    if (!each) continue;
    const isTail = each.partial_wave_blocks > 0;
    const idle = each.idle_share > 0 ? `; it leaves ${words.percent(each.idle_share)} of the GPU's time idle` : "";
    const fills = [each.filling_grid_below, each.filling_grid_above].filter((grid) => grid !== null).map(grouped);
    lines.push(`${each === run ? "Grid" : `With ${each.full_wave.clusters} clusters, as measured`}: ${wavesInWords(each)}${idle}.${isTail ? ` Full last waves: grids of ${fills.join(" or ")} blocks.` : ""}`);
  }
  return lines.map((text) => element("p", { class: "launch" }, text));
}

// Every resource that has a say or was asked for.
function resourceRows(answer) {
  const { kernel } = answer;
  const checked = registersChecked(answer);
  const notGiven = { registers: kernel.regs === null, shared_memory: !kernel.is_shared_memory_given };
  return Object.entries(answer.uses)
    .filter(([name]) => answer.block_limits[name] !== null || name === "registers" || name === "shared_memory" || kernel[name] !== null)
    .map(([name, use]) => {
      const missing = notGiven[name] ?? (name in kernel && kernel[name] === null);
      let amount = use.per_block === null ? "-" : words.amount(name, use.per_block);
      const reserved = name === "shared_memory" ? Math.min(reservedBySystem(answer), use.per_block) : 0;
      if (reserved) amount = `${use.per_block > reserved ? `${words.size(use.per_block - reserved)} + ` : ""}${words.size(reserved)} reserved`;
      if (name === "registers" && checked !== null) amount += `, counted as ${grouped(checked)}`;
      return {
        key: name,
        name: nameOf(name, kernel),
        perBlock: missing ? (use.per_block ? `not given (${amount})` : "not given") : amount,
        perSm: use.per_multiprocessor === null ? "unknown" : words.amount(name, use.per_multiprocessor).replace(" columns", ""),
        blocks: answer.block_limits[name] !== null ? grouped(answer.block_limits[name]) : use.per_block ? "not counted" : "no limit",
        share: use.per_multiprocessor ? (answer.active_blocks * use.per_block) / use.per_multiprocessor : 0,
        isLimiter: answer.limiters.includes(name),
      };
    });
}

function showResources(answer) {
  const rows = resourceRows(answer).map((row) => [
    { row: { class: row.isLimiter ? "limiter" : null } },
    py.capitalize(row.name),
    ...[row.perBlock, row.perSm].map((text) => numeric(text.replace(/(?<=\d) /g, "\u00a0"))),
    numeric(row.blocks),
    shareCell(row.share, row.isLimiter),
    [{ class: "mark" }, row.isLimiter ? "limits" : ""],
  ]);
  const titles = ["Resource", ...["Per block", "Per SM", "Blocks that fit"].map(numeric), [{ class: "use" }, "In use"], unseen("Limiter")];
  refill("resources", table("What one block takes of each resource, after rounding", titles, rows));
}

function changeWords(answer, name, amount) {
  const { kernel } = answer;
  const now = name === "smem" ? kernel.shared_memory : kernel[name] ?? 0;
  if (name === "threads" && now === amount) return `${amount} threads in another shape`;
  return `${words.name(name)} ${`${words.amount(name, now).replace(" columns", "")} → ${words.amount(name, amount)}`.replaceAll(" ", "\u00a0")}`;
}

const changesWords = (answer, step) => words.listing(Object.entries(step.requires).map((each) => changeWords(answer, ...each))) || "with no other change";

// The next steps of the state that the kernel can be brought into: by using less, and by other block sizes.
function stepsOf(answer, steps) {
  const state = stepsOfState(answer, steps, tensorMemory(answer));
  return { ...state, sizes: steps.filter((step) => "threads" in step.requires) };
}

// How the compiler is asked for the registers of a step that asks for fewer.
function bounds(answer, step) {
  const { regs } = step.requires;
  const cap = regs === undefined || mayBeDivided(answer) ? null : registerCap([answer], regs, step.active_blocks);
  return cap && (cap.launch_bounds ?? cap.maxnreg).replace(" ", "\u00a0");
}

function showSteps(answer, steps, apply) {
  const { lead, occupancy, at_once: atOnce, levels, sizes } = stepsOf(answer, steps);
  const useful = worthShowing(levels, occupancy);
  const more = levels.filter((step) => !useful.includes(step));
  const line = (step) => {
    const asked = bounds(answer, step);
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: "step", "data-key": `step ${step.active_blocks} ${Object.keys(step.requires)}`, click: () => apply({ ...step.requires, ...(lead && !sizes.includes(step) && { virtual_resources: 0 }) }) },
        element("span", { class: "reached" }, words.percent(step.occupancy)),
        element("span", {}, changesWords(answer, step), element("small", {}, `${words.count(step.active_blocks, "block")}${asked ? ", may spill" : ""}`), asked && element("small", {}, asked)),
      ),
    );
  };
  const shown = [...atOnce, ...useful, ...sizes];
  const none = answer.occupancy === 1 ? "None: the SM is full." : "None: neither less of what was given nor another block size gives more.";
  refill(
    "steps",
    !shown.length && !lead && note(none),
    mayBeDivided(answer) && levels.some(({ requires }) => "regs" in requires) && note(`${py.capitalize(SKIP_FEWER)}.`),
    lead && note(`${py.capitalize(lead)}${shown.length ? ":" : "."}`),
    sizes.length > 0 && !levels.length && !lead && note("Only another block size can help."),
    shown.length > 0 && element("ul", { class: "plain" }, shown.map(line)),
    more.length > 0 && element("details", {}, element("summary", {}, words.count(more.length, "more level")), element("ul", { class: "plain" }, more.map(line))),
  );
}

// What there is once the permit to allocate tensor memory is relinquished, where nothing says whether it is.
function otherState(answer) {
  const columns = tensorMemory(answer);
  return isEither(answer, answer.kernel, columns) ? columns : null;
}

function showSlack(answer, found) {
  const other = otherState(answer);
  const rows = Object.entries(found)
    .filter(([name, most]) => name !== "left_over" && most !== null && !(name in answer.block_limits && answer.block_limits[name] === null))
    .map(([name, most]) => [words.title(name), numeric(`up to ${words.amount(name, most)}`)]);
  refill(
    "slack",
    rows.length ? table("How far each may grow before a block is lost", null, rows, { class: "pairs" }) : note("No block is resident."),
    rows.length > 0 && note("Each alone, before a block is lost."),
    other && note(`Relinquished: registers up to ${other.regs_without_permit}, shared memory up to ${words.size(other.smem_without_permit)}.`),
  );
}

const LEFT = { too_little: "too little for one more block", another_limiter: "enough for one more block" };

function showLeft(answer, found, advice) {
  const other = otherState(answer);
  const rows = Object.entries(found.left_over)
    .filter(([name, left]) => left.reason !== null && answer.active_blocks && name !== "blocks" && (answer.limiters.includes(name) || (answer.uses[name].per_block && (name in answer.allocated))))
    .map(([name, left]) => [[{}, words.title(name), element("small", {}, LEFT[left.reason])], numeric(words.amount(name, left.amount))]);
  refill(
    "left",
    other ? note("It depends on the permit to allocate tensor memory.") : rows.length ? table("What of the SM is left over", null, rows, { class: "pairs" }) : note(answer.active_blocks ? "Nothing that a block could use." : "No block is resident."),
    carveoutLine(answer, advice, other),
    advice.needs_opt_in && note(breakable("Opt-in needed: cudaFuncAttributeMaxDynamicSharedMemorySize.")),
  );
}

function carveoutLine(answer, { smallest, configurations }, other) {
  if (other) smallest = configurations.find((each) => each.shared_memory === other.carveout_without_permit);
  const blocks = other ? ` for ${words.count(other.blocks_without_permit, "block")}` : "";
  if (!smallest || (smallest.percent === null && smallest.l1 === null) || !answer.kernel.is_shared_memory_given) return null;
  const largest = configurations[configurations.length - 1].shared_memory;
  const percent = smallest.percent === null ? "" : `: ask for ${smallest.percent}% (of ${words.size(largest)}, rounded up) or more`;
  const enough = smallest.shared_memory === largest ? "is needed" : "is enough";
  const l1 = smallest.l1 === null ? "" : `; leaves ${words.size(smallest.l1)} of L1`;
  return note(`Carveout: ${words.size(smallest.shared_memory)} ${enough}${blocks}${percent}${l1}.`);
}

// Whole numbers in a text, with their digits in groups: as `words.grouped` of the library.
const inGroups = (text) => text.replace(/(?<![\d.])\d{4,}(?![\d.]*\d)/g, grouped);

function showArithmetic(answer) {
  const parts = explain(answer).map((each) => [
    element("dt", { class: answer.limiters.includes(each.resource) ? "limiter" : null }, words.title(each.resource)),
    element("dd", {}, element("ol", { class: "plain" }, each.steps.map((step) => element("li", {}, inGroups(step)))), each.why && note(inGroups(each.why))),
  ]);
  refill("arithmetic", element("dl", {}, parts));
}

function showChips({ limits, kernel, model }, choose) {
  const rows = [...CHIPS].reverse().map((each) => {
    const cc = String(each.compute_capability);
    const isHere = each === limits;
    const { share, blocks, why } = answerOn(each, kernel, model);
    return [
      { row: { class: isHere ? "here" : null } },
      button(cc, `chip ${cc}`, () => choose(cc), { class: "link", "aria-current": isHere && "true" }),
      familyOf(each),
      share === null ? [{ class: "use" }, element("span", { class: "number" }, "-")] : shareCell(share, isHere),
      numeric(blocks),
      [{ class: "reason" }, why],
    ];
  });
  const titles = ["Chip", "Architecture", [{ class: "use" }, "Occupancy"], numeric("Blocks"), [{ class: "reason" }, "Limited by"]];
  refill("chips", table("The same kernel on every chip", titles, rows));
}

function answerOn(limits, kernel, model) {
  try {
    const answer = evaluate(limits, kernel, MODELS[model].supports(limits) ? model : defaultModel(limits));
    const { failure } = answer;
    const why = failure ? overLimit(failure.limit, failure.allowed) : limitersOf(answer);
    return { share: answer.occupancy, blocks: grouped(answer.active_blocks), why };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { share: null, blocks: "-", why: error.problem.replace(`compute capability ${limits.compute_capability} `, "") };
  }
}

function showLimits({ limits }) {
  const shown = (name, value) => {
    if (value === null) return "-";
    if (Array.isArray(value)) return name.includes("shared_memory") ? `${value.map((each) => each / 1024).join(", ")} KiB` : value.join(" x ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return name.includes("shared_memory") ? words.size(value) : grouped(value);
    return typeof value === "object" && "version" in value ? `version ${value.version}` : String(value);
  };
  const rows = Object.keys(limits).map((name) => [[{}, breakable(name)], numeric(shown(name, limits[name]))]);
  const title = byId("limits-title");
  if (title.textContent === `Limits of ${limits.compute_capability}`) return;
  title.textContent = `Limits of ${limits.compute_capability}`;
  refill("limits", table("The limits of the chip", null, rows, { class: "pairs limits" }));
}

function showCompare(now, held, act) {
  byId("compare").className = held ? "held" : "";
  if (!held) {
    const text = "Hold this question as A, change it, and read both side by side.";
    refill("compare", element("p", {}, button("Hold as A", "hold", act.hold), element("span", { class: "note" }, text)));
    return;
  }
  const sides = [held, now];
  const names = DATA.inputs.filter((each) => sides.some(({ fields }) => fields[each.name]?.trim()));
  const text = (side, make) => (side.question.answer ? make(side.question.answer) : "-");
  const rows = [
    ...(sides.some(({ fields }) => fields.kernel) ? [["Kernel", ...sides.map(({ fields }) => fields.kernel ?? "")]] : []),
    ["Chip", ...sides.map(({ question: { limits } }) => `${limits.compute_capability} ${familyOf(limits)}`)],
    ...names.map((input) => [input.label, ...sides.map(({ fields }) => fields[input.name]?.trim() || "not given")]),
    ["Model", ...sides.map(({ question }) => question.model)],
    ["Occupancy", ...sides.map((side) => text(side, (answer) => words.percent(answer.occupancy)))],
    ["Active blocks", ...sides.map((side) => text(side, (answer) => grouped(answer.active_blocks)))],
    ["Active warps", ...sides.map((side) => text(side, (answer) => grouped(answer.active_warps)))],
    ["Active threads", ...sides.map((side) => text(side, (answer) => grouped(answer.active_threads)))],
    ["Limited by", ...sides.map((side) => text(side, (answer) => (answer.launchable ? limitersOf(answer) : "does not launch")))],
    ...Object.keys(QUANTITIES).filter((name) => sides.some(({ question }) => (question.answer?.block_limits[name] ?? null) !== null)).map((name) => [
      `Fit by ${words.name(name)}`,
      ...sides.map((side) => text(side, (answer) => (answer.block_limits[name] === null ? "no limit" : grouped(answer.block_limits[name])))),
    ]),
  ].map(([name, a, b]) => [
    { row: { class: a === b ? "same" : null } },
    name,
    numeric(a),
    numeric(b),
    [{ class: "mark" }, a === b ? "" : "≠", unseen(a === b ? "the same" : "differs")],
  ]);
  const titles = [unseen("What"), numeric("A"), numeric("B, now"), unseen("Difference")];
  refill(
    "compare",
    element("p", { class: "acts" }, button("Hold as A", "hold", act.hold), button("Swap A and B", "swap", act.swap), button("Drop A", "drop", act.drop)),
    table("A and B side by side", titles, rows, { class: "sides" }),
  );
}
