// Elements are described, and what is described is then shown. Text only ever becomes text: nothing here takes markup.

const element = (name, properties = {}, ...children) => ({ name, properties, children, space: "http://www.w3.org/1999/xhtml" });

// What only readers of the screen are told.
const unseen = (text) => element("span", { class: "unseen" }, text);
const drawn = (name, properties = {}, ...children) => ({ name, properties, children, space: "http://www.w3.org/2000/svg" });
const created = (wanted) => adapt(document.createElementNS(wanted.space, wanted.name), wanted);

// Make of a node what is described. What is so already stays untouched: it need not be laid out and painted again.
function adapt(node, wanted) {
  const { properties } = wanted;
  const before = node.shown ?? {};
  node.shown = properties;
  for (const name in { ...before, ...properties }) {
    const value = properties[name];
    if (value === before[name]) continue;
    if (typeof (value ?? before[name]) === "function") node[`on${name}`] = value ?? null;
    else if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  fill(node, wanted.children);
  return node;
}

// Show children, each a text, a description, a node, or a list of them, in place of what a node has.
function fill(node, children) {
  let left = filled(node, node.firstChild, children);
  while (left) [left] = [left.nextSibling, left.remove()];
}

// The first child that is left to show others with.
function filled(node, at, children) {
  for (const each of children) {
    if (each === null || each === undefined || each === "" || each === false) continue;
    if (Array.isArray(each)) {
      at = filled(node, at, each);
      continue;
    }
    const isText = typeof each !== "object";
    const isNode = each instanceof Node;
    if (isText ? at?.data === undefined : at !== each && (isNode || at?.localName !== each.name)) {
      node.insertBefore(isText ? new Text(each) : isNode ? each : created(each), at);
      continue;
    }
    if (!isText && !isNode) adapt(at, each);
    else if (isText && at.data !== each) at.data = each;
    at = at.nextSibling;
  }
  return at;
}

const byId = (id) => document.getElementById(id);

// Fill the body of a section again. Where what had the focus is gone, something near gets it.
function refill(id, ...children) {
  const body = byId(id).lastElementChild;
  const hadFocus = body.contains(document.activeElement);
  fill(body, children);
  if (hadFocus && !body.contains(document.activeElement)) (body.querySelector("button") ?? byId("threads")).focus({ preventScroll: true });
}

const button = (text, key, click, properties = {}) => element("button", { type: "button", "data-key": key, click, ...properties }, text);

// A table: the titles of its columns, and rows of cells, each text, a description, or [properties, ...children]. A row
// is a list of cells, or an object with a class and cells.
function table(caption, titles, rows, properties = {}) {
  const cell = (name, content, more) => (Array.isArray(content) ? element(name, { ...more, ...content[0] }, content.slice(1)) : element(name, more, content));
  const line = ({ class: name, cells: [head, ...cells] }) => element("tr", { class: name }, cell("th", head, { scope: "row" }), cells.map((each) => cell("td", each, {})));
  return element("table", properties,
    element("caption", { class: "unseen" }, caption),
    titles && element("thead", {}, element("tr", {}, titles.map((title) => cell("th", title, { scope: "col" })))),
    element("tbody", {}, rows.map((row) => line(Array.isArray(row) ? { cells: row } : row))));
}

// A cell of a table with a number in it.
const numeric = (text) => [{ class: "number" }, text];

// One with the occupancy of a result, as a number and as a bar in the limiter's colour.
function shareCell({ occupancy, launchable, limiters }) {
  const text = element("span", { class: "number" }, words.percent(occupancy));
  return [{ class: "use" }, text, bar(occupancy, launchable ? limiters[0] : "fails")];
}

// The text of an element, where it is another one.
function settle(node, text) { if (node.textContent !== text) node.textContent = text; }

// A share of 1 as a bar.
function bar(share, colour) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return drawn("svg", { class: "share", "aria-hidden": "true" }, drawn("rect", { class: "free", width: "100%", height: "100%" }), drawn("rect", { class: colour, width, height: "100%" }));
}
