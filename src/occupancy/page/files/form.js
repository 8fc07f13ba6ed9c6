// The fields: made from the list of inputs, checked while one types.

const EXTRA = [
  { name: "sms", label: "SMs of the GPU", kind: "count" },
  { name: "grid", label: "Blocks of the grid", kind: "shape", hint: "or 128x32" },
  { name: "cluster", label: "Blocks of a cluster", kind: "shape", hint: "or 2x1", needs: "max_portable_cluster_size" },
];

class Form {
  constructor(changed) {
    this.changed = changed;
    this.rows = {};
    this.controls = {};
    const chips = [...CHIPS].reverse().map((each) => [String(each.compute_capability), `${each.compute_capability} ${familyOf(each)}`]);
    this.add("chip", { name: "cc", label: "Compute capability", options: chips, shape: "chip" });
    this.add("chip", { name: "gpu", label: "or product", shape: "wide" });
    this.add("chip", { name: "model", label: "Model", options: [] });
    for (const input of DATA.inputs) {
      const options = { flag: [["", "not given"], ["yes", "yes"], ["no", "no"]], choice: [["", "not given"], ...(input.options ?? []).map((each) => [each, each])] }[input.kind];
      this.add("block", { ...input, options });
    }
    for (const input of EXTRA) this.add("launch", input);
    const list = element("datalist", { id: "products" }, PRODUCTS.map((each) => element("option", { value: each.name }, `${each.cc}, ${each.sms} SMs`)));
    byId("chip").append(created(list));
    this.controls.gpu.setAttribute("list", "products");
  }

  add(place, input) {
    const { name } = input;
    const control = created(input.options
      ? element("select", { id: name, name, "aria-describedby": `${name}-hint ${name}-error` })
      : element("input", { id: name, name, type: "text", inputmode: input.kind === "count" ? "numeric" : null, placeholder: input.shape ? null : input.hint, spellcheck: "false", autocapitalize: "off", "aria-describedby": `${name}-hint ${name}-error` }));
    if (input.options) this.options(control, input.options);
    control.addEventListener("input", () => this.changed({ [name]: control.value }, true));
    control.addEventListener("change", () => this.changed({ [name]: control.value }));
    if (!input.options) control.addEventListener("keydown", (event) => this.arrows(event, input));
    this.controls[name] = control;
    const row = created(element(
      "div",
      { class: `field ${input.shape ?? ""}` },
      element("label", { for: name }, input.label),
      control,
      element("p", { id: `${name}-hint`, class: input.shape ? "hint" : "unseen" }, input.hint),
      element("p", { id: `${name}-error`, class: "error" }),
    ));
    this.rows[name] = { row, input };
    byId(place).append(row);
  }

  options(select, options) {
    fill(select, options.map(([value, text]) => element("option", { value }, text)));
  }

  // The arrow keys step by the unit in which the chip allocates.
  arrows(event, input) {
    const units = { ArrowUp: 1, ArrowDown: -1, PageUp: 8, PageDown: -8 }[event.key];
    if (!units || event.altKey || event.ctrlKey || event.metaKey || !["count", "size", "shape", "carveout"].includes(input.kind)) return;
    const text = this.controls[input.name].value.trim();
    const next = input.kind === "carveout" ? this.nextConfiguration(text, units) : this.nextNumber(text, units, input);
    if (next === null) return;
    event.preventDefault();
    this.changed({ [input.name]: next });
  }

  nextNumber(text, units, input) {
    const range = DATA.ranges[input.field] ?? ["", 1, 2 ** 31 - 1];
    let now = 0;
    try {
      if (text) now = input.kind === "size" ? readSize(text, range) : readCount(text, range);
    } catch {
      return null; // a shape, or no number: the arrow keys leave it
    }
    const unit = input.multiple ?? (input.field ? stepOf(input.field, this.limits) : 1);
    const next = Math.max(range[1], Math.min(range[2], stepped(now, units, unit)));
    return String(input.field === "threads" || input.multiple ? Math.max(unit, next) : next);
  }

  nextConfiguration(text, units) {
    const sizes = this.limits.shared_memory_configurations;
    let at = sizes.length - 1;
    try {
      const carveout = text ? readCarveout(text, this.limits) : null;
      if (carveout?.unit === "bytes") at = sizes.indexOf(carveout.amount);
    } catch {
      return null;
    }
    const next = text ? Math.max(0, Math.min(sizes.length - 1, at + Math.sign(units))) : at;
    return words.size(sizes[next]);
  }

  // Show the fields of a question, with what is wrong in them.
  show(fields, question, errors, productHint) {
    const { limits } = question;
    this.limits = limits;
    const models = modelsOf(limits);
    this.options(this.controls.model, models.map((name) => [name === defaultModel(limits) ? "" : name, name]));
    this.rows.model.row.hidden = models.length < 2;
    for (const [name, control] of Object.entries(this.controls)) {
      const { row, input } = this.rows[name];
      const value = fields[name] ?? "";
      if (control.value !== value) control.value = value;
      if (input.needs) row.hidden = !limits[input.needs];
      const error = errors[name] ?? "";
      control.setAttribute("aria-invalid", error ? "true" : "false");
      settle(row.lastElementChild, error);
    }
    settle(byId("gpu-hint"), productHint);
  }
}

// Products: a name that is known, or words that several products share.

const PRODUCTS = Object.entries(DATA.products).flatMap(([cc, lines]) => {
  let before = "";
  return lines.split("\n").map((short) => {
    before = before.slice(0, DATA.lengths.indexOf(short[0])) + short.slice(1);
    const line = Object.entries(DATA.phrases).reduceRight((text, [sign, phrase]) => text.replaceAll(sign, phrase), before);
    const at = line.lastIndexOf(" ");
    const name = line.slice(0, at);
    return { cc, name, sms: line.slice(at + 1), key: keyOf(name) };
  });
});

function keyOf(name) {
  return ` ${name.toLowerCase().replace(/nvidia|geforce|tesla|gpu|graphics|edition/g, " ").replace(/(\d)gb\b/g, "$1 gb").replace(/[^a-z0-9]+/g, " ").trim()} `;
}

// {cc, sms, hint, error, name}: what the products of a name have in common; null for what they differ in. The name is one
// that tells the command line as much: to it some products are called alike, and 980 may be a compute capability.
function findProduct(text) {
  const none = { cc: null, sms: null, hint: "such as H100 SXM, RTX 4090" };
  if (!text.trim()) return none;
  const key = keyOf(text);
  let found = PRODUCTS.filter((each) => each.name.toLowerCase() === text.trim().toLowerCase());
  if (!found.length) found = PRODUCTS.filter((each) => each.key === key);
  if (!found.length) found = PRODUCTS.filter((each) => key.trim().split(" ").every((word) => word && each.key.includes(` ${word}`)));
  if (!found.length) return { ...none, error: "No product is called so." };
  const [ccs, sms] = [new Set(found.map((each) => each.cc)), new Set(found.map((each) => each.sms))];
  const number = words.count(found.length, "product");
  if (ccs.size > 1) return { cc: null, sms: null, hint: `${number} that differ: ${[...ccs].join(", ")}. Go on typing.` };
  const cc = found[0].cc;
  let name = found.length > 1 ? text.trim() : found[0].name;
  const parts = keyOf(name).trim().split(" ");
  if (!/^(?=[a-z])[\w -]*\w\d/i.test(name) || PRODUCTS.some((each) => each.cc !== cc && parts.every((part) => each.key.includes(` ${part} `)))) name = null;
  if (sms.size > 1) return { cc, sms: null, hint: `${number} of ${cc}, with ${[...sms].sort((a, b) => a - b).join(", ")} SMs`, name };
  return { cc, sms: found[0].sms, name, hint: `${found.length > 1 ? number : found[0].name}: ${cc}, ${sms.size && found[0].sms} SMs` };
}
