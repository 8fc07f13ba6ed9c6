// The page: the question in the fields, and everything drawn again after each change.

const START = { cc: "9.0", threads: "256", regs: "64", "dynamic-smem": "32k" };

const WRONG = "A field needs another value.";

const app = {
  fields: {},
  held: null,
  isAnswered: false,
  waiting: 0,

  start() {
    this.form = new Form((changes, isTyped) => this.change(changes, isTyped));
    this.curves = ["threads", "regs", "smem"].map((name) => new Curve(name, (value) => this.set(name, value)));
    fill(byId("curves"), this.curves.map((each) => each.node));
    this.map = new HeatMap((values) => {
      for (const [name, value] of Object.entries(values)) this.set(name, value);
    });
    byId("question").addEventListener("submit", (event) => event.preventDefault());
    byId("pasted").addEventListener("input", () => this.paste(byId("pasted").value));
    window.addEventListener("hashchange", () => this.load());
    // Asking for widths when something changes would lay the page out once more.
    const observer = new ResizeObserver((changes) => {
      for (const { target: { chart }, contentRect: { width } } of changes) {
        if (!width || chart.width === width) continue; // only the height is another one, or it is not in sight
        chart.width = width;
        this.redrawSoon();
      }
    });
    for (const chart of [...this.curves, this.map]) {
      chart.width = chart.node.clientWidth || 340;
      chart.node.chart = chart;
      observer.observe(chart.node);
    }
    this.listing = null;
    if (byId("listing")) this.listing = new Listing(JSON.parse(byId("listing").textContent), () => this.filtered());
    this.load();
  },

  // Take the question of the address.
  load() {
    this.address = location.hash;
    if (location.hash && location.hash === this.fragment) return;
    const isOfList = this.listing && /^#kernels(&|$)/.test(location.hash);
    const { fields, held, unknown } = isOfList ? {} : fromFragment(location.hash || document.documentElement.dataset.question);
    this.listing?.show(!fields);
    if (this.isListed()) return this.leave();
    this.fields = inUnits(fields ?? START);
    this.isStart = !fields;
    this.unknown = unknown.length ? notKnown(unknown) : "";
    if (held || !this.listing) this.held = held && inUnits({ ...held, cc: held.cc ?? START.cc });
    const product = findProduct(this.fields.gpu ?? "");
    if (product.cc && product.cc === (fields.cc ?? product.cc)) Object.assign(this.fields, { cc: product.cc, sms: fields.sms ?? product.sms ?? "" });
    this.fields.cc ??= START.cc;
    this.fields.threads ??= START.threads;
    this.redraw();
  },

  // Whether the list of kernels is in sight, and the calculator is not.
  isListed: () => document.body.classList.contains("listed"),

  leave() {
    clearTimeout(this.writing);
    clearTimeout(this.telling);
    this.fragment = this.listing.fragment();
  },

  // The address follows the filters of the list, too.
  filtered() {
    this.fragment = this.listing.fragment();
    this.write();
  },

  // A field that is typed into stays as it is typed, until it is left.
  change(changes, isTyped = false) {
    Object.assign(this.fields, isTyped ? changes : inUnits(changes));
    [this.isStart, this.unknown] = [false, ""];
    if ("gpu" in changes) {
      const product = findProduct(changes.gpu);
      if (product.cc) Object.assign(this.fields, { cc: product.cc, sms: product.sms ?? "" });
    }
    if ("cc" in changes) Object.assign(this.fields, { gpu: "", sms: this.fields.gpu && !changes.sms ? "" : this.fields.sms });
    this.redrawSoon();
  },

  // Another amount of something that a kernel has.
  set(name, amount) {
    this.change(fieldsFor(this.question.kernel, name, amount));
  },

  redrawSoon() {
    if (this.waiting || this.isListed()) return;
    this.waiting = requestAnimationFrame(() => this.redraw());
  },

  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const start = performance.now();
    const question = readQuestion(this.fields);
    const launch = readLaunch(this.fields, question);
    const { hint, error } = findProduct(this.fields.gpu ?? "");
    const gpu = error && `${error} The answer is for ${this.fields.cc}.`;
    this.form.show(this.fields, question, { ...question.errors, ...launch.errors, gpu }, hint);
    document.body.classList.toggle("stale", !question.answer);
    const wrong = [this.unknown, question.answer ? "" : wrongWords(question, this.isAnswered)].filter(Boolean);
    settle(byId("wrong"), wrong.length ? `✕ ${wrong.join(" ")}` : "");
    if (question.answer) {
      [this.question, this.asked, this.isAnswered] = [question, { ...this.fields }, true];
      this.draw(launch);
    } else if (!this.question) {
      this.asked = { ...START, cc: this.fields.cc };
      this.question = readQuestion(this.asked);
      this.draw({ wave: null, run: null });
    }
    const brief = question.answer ? this.unknown : WRONG;
    if (brief) settle(byId("brief"), `✕ ${brief}`);
    this.fragment = toFragment(this.fields, this.held);
    this.write();
    this.announce(question);
    this.took = performance.now() - start;
  },

  draw(launch) {
    const { question, asked } = this;
    const { answer } = question;
    const steps = [...nextSteps(answer)];
    const found = slack(answer);
    settle(byId("brief"), answer.launchable ? `${words.percent(answer.occupancy)}, limited by ${limitersOf(answer)}` : verdictOf(answer));
    showVerdict(asked, question, launch, (kind) => this.copy(kind));
    showResources(answer);
    showSteps(answer, steps, (requires) => this.apply(requires));
    showSlack(answer, found);
    showLeft(answer, found, carveoutAdvice(answer));
    for (const curve of this.curves) curve.draw(question, steps);
    this.map.draw(question);
    showArithmetic(answer);
    showChips(question, (cc) => this.ask({ cc }));
    showLimits(question);
    const held = this.held && { fields: this.held, question: readQuestion(this.held) };
    showCompare({ fields: asked, question }, held, {
      hold: () => this.hold({ ...asked }),
      drop: () => this.hold(null),
      swap: () => {
        [this.fields, this.held] = [this.held, this.fields];
        this.redraw();
      },
    });
  },

  hold(fields) {
    this.held = fields;
    this.redraw();
  },

  // What a click asks at once: Back leads to the question before it. Typing and dragging leave no such trail.
  ask(changes) {
    this.record("replaceState");
    this.change(changes);
    this.redraw();
    clearTimeout(this.writing);
    if (location.hash !== this.fragment) this.record("pushState");
  },

  // Do what a next step says, all of it together.
  apply(requires) {
    const changes = Object.entries(requires).map(([name, amount]) => fieldsFor(this.question.kernel, name, amount));
    this.ask(Object.assign({}, ...changes));
    this.say(`Applied. ${verdictText(this.question.answer)}`);
  },

  // The address follows what is in sight, but not at every step of a drag.
  write() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.record("replaceState"), 150);
  },

  // Put it into the address, unless the reader has just gone to another one: `load` is about to hear of it.
  record(how) {
    if (location.hash !== this.address) return;
    history[how](null, "", this.fragment);
    this.address = location.hash;
  },

  announce(question) {
    clearTimeout(this.telling);
    const text = `${this.unknown} ${question.answer ? verdictText(question.answer) : WRONG}`.trim();
    if (text === this.told) return;
    this.telling = setTimeout(() => {
      this.told = text;
      this.say(text);
    }, 500);
  },

  say(text) {
    byId("status").textContent = text;
  },

  async copy(kind) {
    const [asked, question] = [this.asked, this.question]; // of the answer that is shown
    const text = {
      Link: () => location.href.replace(/#.*/, "") + this.fragment,
      Command: () => toCommand(asked, question),
      Python: () => toPython(asked, question),
      Markdown: () => toMarkdown(asked, question),
    }[kind]();
    this.copied = text;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyBySelection(text);
    }
    const key = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === `copy ${kind}`);
    if (key) {
      key.textContent = done ? "Copied" : "Not allowed";
      setTimeout(() => (key.textContent = kind), 1200);
    }
    this.say(done ? `${kind} copied.` : `The browser does not allow copying.`);
  },

  paste(text) {
    const found = text.trim() ? readPasted(text) : [];
    const use = (kernel) => {
      const cc = chipOf(ccOf(kernel.arch)) ? ccOf(kernel.arch) : null;
      const cleared = this.isStart ? { regs: "", "dynamic-smem": "" } : {}; // they were an example's
      this.change({ kernel: kernel.name, ...cleared, ...kernel.fields, ...(cc && cc !== this.fields.cc ? { cc } : {}) });
    };
    const lines = found.map((kernel, index) =>
      element("li", {}, button(kernel.name, `pasted ${index}`, () => use(kernel), { class: "link" }), element("small", {}, pastedWords(kernel))),
    );
    const left = leftOut(found);
    fill(byId("found"), [
      text.trim() && !found.length && element("p", { class: "error" }, "No kernel in it."),
      left.map((what) => element("p", { class: "error" }, what)),
      lines.length > 0 && element("ul", { class: "plain" }, lines),
    ]);
    if (found.length === 1) use(found[0]);
    if (text.trim()) this.say([found.length === 1 ? "One kernel, taken over." : `${found.length} kernels found.`, ...left].join(" "));
  },
};

function wrongWords({ errors }, hasAnswer) {
  const parts = Object.entries(errors).map(([name, error]) => `${DATA.inputs.find((each) => each.name === name).label}: ${error}`);
  return `${parts.join(" ")} Below, in grey, is the ${hasAnswer ? "last answer" : "answer to an example"}.`;
}

const verdictText = (answer) => `${words.percent(answer.occupancy)} occupancy, ${words.count(answer.active_blocks, "block")}. ${verdictOf(answer)}`;

const pastedWords = ({ arch, fields }) =>
  [arch, fields.regs && `${fields.regs} registers`, Number(fields["static-smem"]) ? `${words.size(Number(fields["static-smem"]))} shared` : null].filter(Boolean).join(", ");

// For browsers that keep the clipboard from pages on the disk.
function copyBySelection(text) {
  const area = created(element("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" }));
  area.value = text;
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return done;
}
