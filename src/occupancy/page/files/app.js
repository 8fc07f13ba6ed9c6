// The page: the texts of the fields, everything drawn again after each change, and the history of both.

const EXAMPLE = { gpu: "H100 SXM5", threads: "256", regs: "72", "dynamic-smem": "40 KiB" };
const REST = 400; // ms after which a change is an entry of the history

const app = {
  fields: {},
  held: null,
  pins: [],
  depth: 0,
  waiting: 0,

  start() {
    this.form = new Form((changes, isTyped) => this.change(changes, isTyped));
    this.curves = ["threads", "regs", "smem"].map((name) => new Curve(name, (value) => this.set({ [name]: value }), () => {
      scale.isWarps = !scale.isWarps;
      this.redraw();
    }));
    fill(byId("curves"), this.curves.map((each) => each.node));
    this.map = new HeatMap((amounts) => this.set(amounts));
    const sized = new ResizeObserver((changes) => {
      for (const { target: { chart }, contentRect: { width } } of changes) {
        const inner = Math.round(width);
        if (!width || chart.width === inner) continue;
        chart.width = inner;
        this.redrawSoon();
      }
    });
    for (const chart of [...this.curves, this.map]) {
      const node = chart === this.map ? chart.svg : chart.node;
      node.chart = chart;
      sized.observe(node);
    }
    const clicks = { undo: () => this.undo(), reset: () => this.reset(), hold: () => this.hold(this.held ? null : { ...this.fields }) };
    for (const [id, click] of Object.entries(clicks)) byId(id).addEventListener("click", click);
    byId("question").addEventListener("submit", (event) => event.preventDefault());
    byId("pasted").addEventListener("input", () => this.paste(byId("pasted").value));
    byId("docs").hidden = !location.protocol.startsWith("http");
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("threads").focus();
    });
    fill(byId("copies"), ["Link", "Command", "Python", "Markdown"].map((kind) => button(`Copy as ${kind}`, `copy ${kind}`, () => this.copy(kind))));
    window.addEventListener("popstate", (event) => this.arrive(event.state));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => this.drop(event));
    document.addEventListener("paste", (event) => {
      if (!/^(input|textarea|select)$/.test(event.target.localName ?? "")) this.paste(event.clipboardData.getData("text"), true);
    });
    // A menu closes with Escape, or where one clicks beside it.
    document.addEventListener("pointerdown", ({ target }) => document.querySelectorAll("details.menu[open]").forEach((menu) => (menu.open = menu.contains(target))));
    this.report = byId("report") ? new Report(JSON.parse(byId("report").textContent), () => this.filtered()) : null;
    this.title = document.title;
    history.replaceState({ depth: 0 }, "");
    this.load();
  },
  // Take the question of the address.
  load() {
    const isOfList = this.report && /^#kernels(&|$)/.test(location.hash);
    const { fields, held, pins, unknown } = fromFragment(isOfList ? "" : location.hash || document.documentElement.dataset.question);
    this.report?.show(isOfList || !fields);
    if (this.isListed()) return (this.entry = this.report.fragment());
    this.fields = inUnits({ ...(fields ? { gpu: "9.0", threads: "256" } : EXAMPLE), ...fields });
    if (held || !this.report || this.report.isDiff) this.held = held && inUnits({ gpu: this.fields.gpu, threads: "256", ...held });
    this.pins = pins;
    this.problem = unknown.length ? `The link has unknown parts: ${words.list(unknown)}` : "";
    this.redraw();
    this.entry = this.fragment();
  },
  isListed: () => document.body.classList.contains("listed"),
  fragment() { return this.isListed() ? this.report.fragment() : toFragment(this.fields, this.held, this.pins); },

  // ---- History: every change that rests is an entry

  rest() {
    clearTimeout(this.resting);
    if (this.fragment() === this.entry) return;
    this.depth += 1;
    this.entry = this.fragment();
    history.pushState({ depth: this.depth }, "", this.entry);
    this.showUndo();
  },
  arrive(state) {
    clearTimeout(this.resting);
    if (!state) history.replaceState({ depth: this.depth + 1 }, ""); // a link that was typed or followed
    this.depth = state?.depth ?? this.depth + 1;
    this.load();
    this.showUndo();
  },
  undo() {
    this.rest();
    if (this.depth > 0) history.back();
  },
  showUndo() { byId("undo").disabled = !this.depth && this.fragment() === this.entry; },
  filtered() {
    this.entry = this.fragment();
    history.replaceState(history.state, "", this.entry);
  },

  // ---- Changes

  // A field that is typed into stays as it is typed, until it is left.
  change(changes, isTyped = false) {
    Object.assign(this.fields, isTyped ? changes : inUnits(changes));
    if ("gpu" in changes && findGpu(changes.gpu).sms) this.fields.sms = "";
    this.problem = "";
    this.redrawSoon();
  },
  // Other amounts of what the kernel uses.
  set(amounts) {
    const changes = Object.entries(amounts).map(([name, amount]) => fieldsFor(this.question.kernel, name, amount));
    this.change(Object.assign({}, ...changes));
  },
  // A click: an entry of the history at once.
  act(change) {
    this.rest();
    change();
    this.redraw();
    this.rest();
  },
  ask(changes) { this.act(() => this.change(changes)); },
  hold(fields) { this.act(() => (this.held = fields)); },
  pin(pins) { this.act(() => (this.pins = pins)); },
  reset() { this.act(() => Object.assign(this, { fields: { ...EXAMPLE }, held: null, problem: "" })); },
  take(kernel) { this.act(() => Object.assign(this, { fields: inUnits(this.fieldsOf(kernel)), problem: "" })); },
  apply(requires) {
    this.ask(Object.assign({}, ...Object.entries(requires).map(([name, amount]) => fieldsFor(this.question.kernel, name, amount))));
    const { figure, headline } = verdictOf(this.question);
    this.say(`Applied: ${figure}. ${headline}`);
  },
  key(event) {
    const isTyping = /^(input|textarea|select)$/.test(event.target.localName);
    const isCommand = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => (menu.open = false));
    if (this.isListed() || event.altKey || event.target.id === "pasted") return;
    const act = isCommand
      ? { z: () => (event.shiftKey ? history.forward() : this.undo()), y: () => history.forward() }[letter]
      : !isTyping && { u: () => this.undo(), a: () => byId("hold").click(), "/": () => byId("gpu").select() }[letter];
    if (!act) return;
    event.preventDefault();
    act();
  },

  // ---- Drawing

  redrawSoon() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
    if (!this.waiting && !this.isListed()) this.waiting = requestAnimationFrame(() => this.redraw());
  },
  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const asked = readQuestion(this.fields);
    const launch = readLaunch(this.fields, asked);
    const errors = { ...asked.errors, ...launch.errors };
    this.form.show(this.fields, asked, errors);
    const { gpu } = asked;
    settle(byId("gpu-facts"), gpu.cc ? [gpu.name && gpu.cc, launch.sms ? words.count(launch.sms, "SM") : gpu.range && `${gpu.range} SMs`, !gpu.name && limitsOf(gpu.cc).architecture].filter(Boolean).join(" · ") : "");
    document.body.classList.toggle("stale", !asked.result);
    if (asked.result) [this.question, this.asked] = [asked, { ...this.fields }];
    else if (!this.question) [this.question, this.asked] = [readQuestion(EXAMPLE), EXAMPLE];
    const named = { gpu: "GPU", ...Object.fromEntries(DATA.inputs.map((each) => [each.name, each.label])) };
    const wrong = Object.keys(asked.errors)[0];
    this.draw(launch, this.problem || (wrong ? `${named[wrong]}: ${asked.errors[wrong]}` : ""));
    this.announce();
    this.showUndo();
  },
  draw(launch, problem) {
    const { question, asked } = this;
    const { result } = question;
    const held = this.held && readQuestion(this.held);
    const pins = this.pins.map((text) => ({ text, gpu: findGpu(text) })).filter(({ gpu }) => gpu.cc);
    this.unheard = problem;
    document.title = asked.kernel ? `${asked.kernel}: occupancy` : this.title;
    byId("hold").textContent = this.held ? "Drop A" : "Hold as A";
    fill(byId("kernel"), asked.kernel ? [
      element("code", { title: asked.kernel }, asked.kernel),
      element("small", {}, [asked.spills && `spills ${asked.spills}`, asked.bounds && `__launch_bounds__(${asked.bounds})`].filter(Boolean).join(", ")),
      button("✕", "forget", () => this.ask({ kernel: "", spills: "", bounds: "" }), { class: "plain", "aria-label": "Remove the kernel's name" }),
    ] : []);
    showVerdict(asked, question, held, problem, { copy: (kind, text) => this.copy(kind, text), apply: (requires) => this.apply(requires), set: (changes) => this.ask(changes) });
    showBars(result);
    showWaves(launch, question.gpu);
    showCarveout(result);
    const steps = isRefusedByCompiler(result) ? [] : nextSteps(result);
    const others = pins.filter(({ gpu }) => gpu.cc !== question.gpu.cc).map(({ text, gpu }) => ({ label: text, limits: limitsOf(gpu.cc) }))
      .filter(({ limits }) => resultOn(limits, question.kernel).result)
      .map(({ label, limits }) => ({ label, question: { limits, kernel: question.kernel } }));
    if (held?.result) others.push({ label: "A", question: held, isHeld: true });
    for (const curve of this.curves) curve.draw(question, steps, others);
    this.map.draw(question);
    showGpus(question, pins, {
      text: asked.gpu,
      choose: (text) => this.ask({ gpu: text }),
      pin: () => this.pin([...this.pins, asked.gpu.trim().replaceAll(",", " ")].slice(-8)),
      unpin: (text) => this.pin(this.pins.filter((each) => each !== text)),
    });
    showArithmetic(result);
    showLimits(question);
    showCompare(asked, question, this.held, held);
  },
  announce() {
    clearTimeout(this.telling);
    const { figure, headline } = verdictOf(this.question);
    const text = this.unheard || `${figure}. ${headline}`;
    if (text === this.spoken) return;
    this.telling = setTimeout(() => this.say((this.spoken = text)), 500);
  },
  say(text) { byId("status").textContent = text; },

  // ---- Copying and pasting

  async copy(kind, given) {
    const [asked, question] = [this.asked, this.question]; // of the result that is shown
    const text = given ?? {
      Link: () => (location.protocol === "file:" ? "" : location.href.replace(/#.*/, "")) + toFragment(asked, this.held, this.pins),
      Command: () => toCommand(asked, question),
      Python: () => toPython(asked, question),
      Markdown: () => toMarkdown(asked, question),
    }[kind]();
    this.copied = text;
    const isDone = await navigator.clipboard.writeText(text).then(() => true, () => false);
    const node = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === `copy ${kind}`);
    if (node && !given) {
      node.textContent = isDone ? "Copied" : "Not allowed";
      setTimeout(() => (node.textContent = `Copy as ${kind}`), 1200);
    }
    this.say(isDone ? "Copied." : "The browser does not allow copying.");
  },
  async drop(event) {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    this.paste(file ? await file.slice(0, MAX_PASTED).text() : event.dataTransfer.getData("text"), true);
  },
  // The kernels of a text; of one the inputs, of several a list to choose from.
  paste(text, isShown = false) {
    const kernels = text.trim() ? readPasted(text) : [];
    if (isShown) {
      byId("pasted").value = text.slice(0, MAX_PASTED);
      byId("paste").open = kernels.length !== 1;
    }
    const rows = kernels.map((kernel, at) => {
      const { result, limits } = readQuestion(this.fieldsOf(kernel));
      const facts = [kernel.arch, kernel.fields.regs && `${kernel.fields.regs} regs`, kernel.spills && `spills ${kernel.spills}`];
      return element("li", {}, button(kernel.name, `pasted ${at}`, () => this.take(kernel), { class: "link" }), element("small", {}, facts.filter(Boolean).join(", ")), result ? shareCell(result.occupancy, result.launchable ? result.limiters[0] : "fails").slice(1) : element("small", {}, limits ? "" : "unknown GPU"));
    });
    fill(byId("found"), [text.trim() && !rows.length && element("p", { class: "error" }, "No kernel found. Paste the output of ptxas -v, with its “Compiling entry function” lines."), rows.length > 0 && element("ul", {}, rows)]);
    if (kernels.length === 1) this.take(kernels[0]);
    if (text.trim()) this.say(`${words.count(kernels.length, "kernel")} found.`);
  },
  // The fields of a kernel: what it does not state is not given, but for the block size, which is needed.
  fieldsOf({ name, arch, fields, spills }) {
    const cc = ccOf(arch);
    const gpu = cc && limitsOf(cc) && cc !== findGpu(this.fields.gpu).cc ? cc : this.fields.gpu;
    const stated = Object.fromEntries(Object.entries(fields).filter(([, text]) => text));
    return { gpu, threads: this.fields.threads, sms: gpu === this.fields.gpu ? this.fields.sms ?? "" : "", ...stated, kernel: name, spills };
  },
};
