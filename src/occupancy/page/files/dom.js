// Elements. Text only ever becomes text: nothing here takes markup.

function element(name, properties = {}, ...children) {
  return filled(document.createElement(name), properties, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== ""));
  return node;
}

const byId = (id) => document.getElementById(id);

// Fill the body of a section again. What has the focus keeps it, by its data-key.
function refill(id, ...children) {
  const body = byId(id).lastElementChild;
  const key = body.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  body.replaceChildren(...children.flat().filter(Boolean));
  if (key === undefined) return;
  const same = [...body.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
  (same ?? body.querySelector("button") ?? byId("threads")).focus({ preventScroll: true });
}

function button(text, key, click, properties = {}) {
  return element("button", { type: "button", "data-key": key, click, ...properties }, text);
}

// A table: the titles of its columns, and rows of cells, each text, a node, or [properties, ...children].
function table(caption, titles, rows, properties = {}) {
  const cell = (name, content, more) =>
    Array.isArray(content) ? element(name, { ...more, ...content[0] }, ...content.slice(1)) : element(name, more, content);
  return element(
    "table",
    properties,
    element("caption", { class: "unseen" }, caption),
    titles && element("thead", {}, element("tr", {}, titles.map((title) => cell("th", title, { scope: "col" })))),
    element(
      "tbody",
      {},
      rows.map(([first, ...others]) => {
        const marked = first.row ?? {};
        const [head, cells] = first.row ? [others[0], others.slice(1)] : [first, others];
        return element("tr", marked, cell("th", head, { scope: "row" }), cells.map((each) => cell("td", each, {})));
      }),
    ),
  );
}

// A share of 1 as a bar.
function bar(share, isMarked) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return drawn(
    "svg",
    { class: `bar${isMarked ? " marked" : ""}`, "aria-hidden": "true", preserveAspectRatio: "none" },
    drawn("rect", { class: "track", width: "100%", height: "100%" }),
    drawn("rect", { class: "part", width, height: "100%" }),
  );
}
