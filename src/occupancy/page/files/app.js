// The page: texts of the fields, redrawing after each change, and the history.
const EXAMPLE = { gpu: "H100 SXM5", threads: "256", regs: "72", "dynamic-smem": "40 KiB" };
const app = {
  fields: {}, kept: null, pins: [], depth: -1,
  start() {
    fill(byId("gpu-names"), [
      BY_USE.map((each) => element("option", { value: each.name }, `${each.cc}, ${each.sms} SMs`)),
      [...LIMITS].reverse().map((each) => element("option", { value: each.compute_capability }, familyOf(each))),
    ]);
    this.charts = [new Curve("threads"), new Curve("regs"), new Curve("smem"),
      new HeatMap("threads", "regs"), new HeatMap("threads", "smem"), new HeatMap("regs", "smem")];
    this.listen();
    this.report = byId("report") ? new Report(JSON.parse(byId("report").textContent)) : null;
    this.title = document.title;
    byId("docs").hidden = !location.protocol.startsWith("http");
    this.arrive(history.state, true);
  },
  listen() {
    const on = (type, act) => document.addEventListener(type, act);
    const acts = {
      reset: () => this.act(() => Object.assign(this, { fields: { ...this.first }, kept: null, problem: "" })),
      keep: () => this.act(() => (this.kept = { ...this.fields })),
      undo: () => this.undo(), import: () => setTimeout(() => byId("pasted").focus()),
    };
    on("focusin", ({ target }) => {
      this.entered = target;
      if (target.id !== "gpu") return;
      const { value } = target; // an empty box offers the whole list; an unknown name stays, to be corrected
      [target.placeholder, target.value] = findGpu(value).error ? [this.launch?.fields.gpu ?? "", value] : [value, ""];
    });
    on("focusout", ({ target }) => target.id === "gpu" && this.redrawSoon());
    on("click", ({ target }) => {
      const { act, copy, input, units } = target.closest("button")?.dataset ?? {};
      acts[act]?.();
      if (copy) this.copy(copy, target);
      if (input) this.step(inputOf(input), Number(units));
      if (target === this.entered) target.select?.(); // the first click into a field selects its text, as Tab does
      this.entered = null;
    });
    on("input", ({ target: { id, name, value, placeholder } }) => {
      const isPartial = id === "gpu" && (value.length < 3 || findGpu(value).error); // shows the GPU from before
      if (id === "pasted") this.paste(value);
      else if (name) this.change({ [name]: isPartial ? placeholder : value }, true);
    });
    on("change", ({ target, target: { id, name, value } }) => {
      if (id === "pin") this.pin(value);
      else if (name) this.act(() => this.change({ [name]: value || (id === "gpu" ? target.placeholder : "") }));
      if (id === "gpu") target.blur(); // the next click or tap begins with an empty box
    });
    on("keydown", (event) => this.key(event));
    on("scroll", () => document.body.classList.toggle("scrolled", scrollY > 150 && innerHeight * innerWidth < 5e5));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => this.drop(event));
    on("paste", (event) => {
      const text = event.clipboardData.getData("text");
      if (this.isTyping(event) && (event.target.id === "pasted" || !text.trim().includes("\n"))) return;
      event.preventDefault();
      this.paste(text, true);
    });
    window.addEventListener("popstate", ({ state }) => this.arrive(state));
    history.scrollRestoration = "manual"; // undo does not scroll
  },
  isTyping: ({ target }) => /^(input|textarea|select)$/.test(target.localName ?? ""),
  // A link opens the folds of its inputs, and in a scan keeps A; undo does neither.
  load(isLink) {
    const isOfList = this.report && /^#kernels(&|$)/.test(location.hash);
    const inputs = isOfList ? "" : location.hash || document.documentElement.dataset.fragment;
    const { fields, kept, pins, unknown } = fromFragment(inputs);
    this.report?.show(isOfList || !fields);
    if (this.isListed()) return (this.entry = this.report.fragment());
    this.fields = inUnits({ ...(fields ? { gpu: "9.0", threads: "256" } : EXAMPLE), ...fields });
    this.first ??= this.report ? { ...this.fields } : EXAMPLE;
    const before = isLink && this.report?.isDiff === false ? this.kept : null;
    this.kept = kept ? inUnits({ gpu: this.fields.gpu, ...kept }) : before;
    Object.assign(this, { pins, visit: null });
    this.problem = unknown.length ? `The link has unknown parts: ${words.list(unknown)}` : "";
    for (const fold of isLink ? byId("inputs").querySelectorAll("details") : []) {
      fold.open ||= [...fold.querySelectorAll("[name]")].some(({ name }) => !/^0?$/.test(this.fields[name] ?? ""));
    }
    this.entry = this.fragment();
    this.redraw();
  },
  isListed: () => document.body.classList.contains("listed"),
  fragment() { return this.isListed() ? this.report.fragment() : toFragment(this.fields, this.kept, this.pins); },
  // ---- History: a change is an entry after a pause; typing in one field is a single one
  rest(isPause = false) {
    if (this.charts.some(({ drag }) => drag)) return this.redrawSoon(); // a drag is one entry
    if (isPause && this.visit && this.changing === "gpu") return; // a GPU being typed is only shown
    const depth = this.visit?.depth ?? this.depth + 1;
    if (!isPause) this.visit = null;
    if (this.fragment() === this.entry) return;
    this.entry = this.fragment();
    history[depth === this.depth ? "replaceState" : "pushState"]({ depth, first: this.first }, "", this.entry);
    this.depth = depth;
    this.showUndo();
    const said = document.querySelectorAll("#verdict :is(strong, h2), .field > .error:not(:empty)");
    this.say([...said].map((each) => each.textContent).join(". "));
  },
  arrive(state, isLink = !state) {
    this.depth = state?.depth ?? this.depth + 1;
    this.first = state?.first;
    this.load(isLink);
    history.replaceState({ depth: this.depth, first: this.first }, "", this.kept && this.entry);
  },
  undo() {
    byId("gpu").blur();
    this.rest();
    if (this.depth > 0) history.back();
    this.depth = 0; // a second click does not leave the page
  },
  showUndo() { byId("undo").disabled = !this.depth && this.fragment() === this.entry; },
  // Texts being typed stay as they are; others are written with their unit. visit: the fields before the typing.
  change(changes, isTyped = false) {
    const changing = Object.keys(changes).pop();
    if (changing !== this.changing) this.rest(); // an entry of the history has changes of one field
    this.changing = changing;
    if (isTyped) this.visit ??= { fields: this.fields, depth: this.depth + 1 };
    const before = isTyped ? this.visit.fields : this.fields;
    const after = { ...before, ...(isTyped ? changes : inUnits(changes)) };
    if (after.regs !== before.regs) after.spills = ""; // of another build
    if (after.gpu !== before.gpu) Object.assign(after, { switched: "" }, findGpu(after.gpu).sms && { sms: "" });
    Object.assign(this, { fields: after, problem: "" });
    this.redrawSoon();
  },
  step(input, units) {
    const text = textOf(this.fields, input);
    this.change({ [input.name]: attempt(() => nextText(input, text, units, this.limits), () => text) });
  },
  set(amounts) {
    const changes = Object.entries(amounts).map(([name, amount]) => fieldsFor(this.launch, name, amount));
    this.change(Object.assign({}, ...changes));
  },
  act(change) {
    const used = document.activeElement;
    this.rest();
    change();
    this.redraw();
    this.rest();
    if (!used.isConnected) byId("undo").focus({ preventScroll: true });
  },
  pin(text) {
    const error = this.pins[MOST_PINS - 1] ? `${MOST_PINS} at most: unpin one first.` : findGpu(text).error;
    settle(byId("pin-error"), text && error);
    if (error) return;
    byId("pin").value = "";
    this.act(() => this.keepPinned(fullNameOf(text)));
  },
  keepPinned(name) { this.pins = [...new Set([...this.pins, name])].slice(0, MOST_PINS); },
  choose(text) {
    this.act(() => {
      this.change({ gpu: text });
      this.keepPinned(fullNameOf(this.launch.fields.gpu));
    });
  },
  take(kernel) { this.act(() => Object.assign(this, { fields: inUnits(this.fieldsOf(kernel)), problem: "" })); },
  key(event) {
    const { key, ctrlKey, metaKey, shiftKey, altKey, target } = event;
    if ((this.isListed() && key !== "/") || altKey || target.id === "pasted") return;
    const input = inputOf(target.name);
    const plain = { u: () => this.undo(), a: () => byId("keep").click(), "?": () => byId("help").togglePopover() };
    const commands = { z: () => (shiftKey ? history.forward() : this.undo()), y: () => history.forward() };
    const isText = this.isTyping(event) && !(/^[u?]$/i.test(key) && /count|size|shape/.test(input?.kind));
    let act = (ctrlKey || metaKey ? commands : isText ? {} : plain)[key.toLowerCase()];
    if (key === "/" && target.id !== "q") act = () => byId(this.isListed() ? "q" : "gpu").select();
    if (KEYS[key] && input && !input.options) act = () => this.step(input, KEYS[key]);
    if (key === "Enter" && target.id === "pin") act = () => this.pin(target.value);
    if (key === "Escape" && target.id === "gpu") act = () => {
      target.value = "";
      this.change({ gpu: target.placeholder }, true);
      target.blur();
    };
    if (!act) return;
    event.preventDefault();
    act();
  },
  redrawSoon() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(true), 400);
    if (!this.waiting && !this.isListed()) this.waiting = requestAnimationFrame(() => this.redraw());
  },
  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    settle(byId("pin-error"), "");
    const launch = readLaunch(this.fields);
    const { gpu, errors, limits, result, sms } = launch;
    this.limits = gpu.error && this.limits ? this.limits : limits;
    showFields(this.fields, this.limits, launch);
    byId("sms").placeholder = gpu.sms ?? "not given";
    const count = sms ? words.count(sms, "SM") : gpu.range && `${gpu.range} SMs`;
    const facts = [gpu.cc, gpu.cc && !gpu.name && limits.architecture, count, this.fields.switched];
    settle(byId("gpu-facts"), facts.filter(Boolean).join(" · "));
    document.body.classList.toggle("stale", !result);
    byId("copy-command").disabled = byId("copy-python").disabled = !result;
    showWaves(launch);
    if (result) this.launch = launch;
    document.body.classList.toggle("empty", !this.launch); // no result yet
    const [field] = result ? [] : Object.keys(errors);
    const text = field ? `Check “${inputOf(field)?.label ?? "GPU"}”` : this.problem;
    this.draw(this.launch ?? readLaunch(EXAMPLE), { text, field, choices: gpu.choices });
    this.showUndo();
  },
  // Draw the last launch with a result. problem: the first error in the fields, its field, and GPUs to choose from.
  draw(launch, problem) {
    const { fields, limits: own, result } = launch;
    const kept = this.kept && readLaunch(this.kept);
    const pins = this.pins.map((name, at) => ({
      name, limits: limitsOf(findGpu(name).cc, fields.bounds),
      line: { class: `pinned p${at % 3}`, "stroke-dasharray": DASHES[at] },
    }));
    document.title = fields.kernel ? `${fields.kernel}: occupancy` : this.title;
    if (this.report) settle(document.querySelector("h1"), fields.kernel || this.title);
    const steps = stepsOf(launch);
    showKernel(fields);
    showVerdict(launch, steps, kept, problem);
    showBars(result);
    const others = pins.filter(({ limits }) => limits.version !== own.version)
      .map(({ name, limits, line }) => ({ name, result: resultOn(limits, launch).result, line }));
    if (kept) others.push({ name: "A", result: kept.result, line: { class: "kept", "stroke-dasharray": "5 5" } });
    for (const chart of this.charts) chart.draw(result, steps, others.filter((other) => other.result));
    const sample = (look) => drawn("svg", { width: 26, height: 10 }, drawn("path", { d: "M0 5H26", ...look }));
    const label = (name) => ` ${name.replace("GeForce ", "")}`;
    fill(byId("key"), others.map(({ name, line }) => element("span", {}, sample(line), label(name))));
    showGpus(launch, pins, kept);
    showLimits(result);
  },
  say(text) { byId("status").textContent = text; },
  async copy(kind, node) {
    const write = {
      link: () => location.href.replace(/#.*/, "") + this.fragment(),
      command: () => toCommand(this.launch), Python: () => toPython(this.launch),
    };
    this.say(await navigator.clipboard.writeText(write[kind]()).then(() => `Copied ${kind}`, () => "Not allowed"));
    node.textContent = byId("status").textContent;
    setTimeout(() => (node.textContent = `Copy ${kind}`), 1200);
  },
  async drop(event) {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    const text = file ? await file.slice(0, 4 * MAX_PASTED).text() : event.dataTransfer.getData("text");
    this.paste(text.includes("\0") ? `${file.name} is a binary file.` : text, true);
  },
  paste(text, isShown = false) {
    if (this.isListed()) return;
    const kernels = text.trim() ? readPasted(text) : [];
    if (isShown) byId("pasted").value = text.slice(0, MAX_PASTED);
    byId("paste").togglePopover(kernels.length !== 1);
    const launches = kernels.map((kernel) => ({ ...readLaunch(this.fieldsOf(kernel)), of: kernel }));
    launches.sort((one, other) => (one.result?.occupancy ?? 2) - (other.result?.occupancy ?? 2));
    const shown = launches.slice(0, MAX_KERNELS);
    const rows = shown.map(({ result, gpu, kernel: read, of: { name, title, arch, fields }, of }) => {
      const facts = [arch?.replace(/^(\d+)\.(\d)$/, "sm_$1$2"),
        `${fields.threads ?? `${this.fields.threads}*`} threads`, fields.regs && `${fields.regs} regs`,
        read && sharedMemoryOf(read) && words.size(sharedMemoryOf(read)),
        fields.spills && `spills ${fields.spills}`];
      const row = [element("code", { title }, name || arch), element("small", {}, facts.filter(Boolean).join(", ")),
        result ? occupancyBar(result) : element("small", {}, gpu.cc ? "" : "unknown GPU")];
      return element("li", {}, button(row, () => this.take(of), { class: "link", popovertarget: "paste" }));
    });
    const assumed = kernels.some(({ fields }) => !fields.threads) && "* Not recorded: the block size of the page.";
    const place = text.length > MAX_PASTED ? " in the first 4 MiB" : "";
    const count = `${rows.length} of ${words.count(kernels.length, "kernel")}${place}, lowest first.`;
    const note = `${rows.length ? count : "No kernel found."} As a report: occupancy scan FILE -o report.html`;
    fill(byId("found"), [text.trim() && note, element("ul", {}, rows), element("small", {}, assumed)]);
    if (kernels.length === 1) this.take(kernels[0]);
    else if (isShown) (byId("found").querySelector("button") ?? byId("pasted")).focus();
    if (text.trim()) this.say(`${words.count(kernels.length, "kernel")} found`);
  },
  // The fields for a kernel. Inputs that it does not state become empty, except for the block size.
  fieldsOf({ name, arch, fields }) {
    const [cc, now] = [ccOf(arch), this.fields];
    const gpu = fields.gpu ?? (limitsOf(cc) && cc !== findGpu(now.gpu).cc ? DATA.known_by[cc] ?? cc : now.gpu);
    const { sms, switched } = gpu === now.gpu ? now : { switched: `switched from ${now.gpu}` };
    return { sms, switched, ...fields, gpu, threads: fields.threads || now.threads, kernel: name };
  },
};
