// Elements are described, then shown. Nothing here parses markup: text stays text.

const describe = (space) => (name, properties = {}, ...children) => ({ name, properties, children, space });
const [element, drawn] = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"].map(describe);
const created = (wanted) => adapt(document.createElementNS(wanted.space, wanted.name), wanted);

// Change a node to match its description. Only differences are written, to save layout and painting.
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

// Replace the children of a node. Each is a text, a description, a node, or a list of them.
function fill(node, children) {
  let at = node.firstChild;
  for (const each of children.flat(Infinity)) {
    if (each === null || each === undefined || each === "" || each === false) continue;
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
  while (at) [at] = [at.nextSibling, at.remove()];
}

function settle(node, text) { if (node.textContent !== text) node.textContent = text; }
const numeric = (text) => [{ class: "number" }, text];
const byId = (id) => document.getElementById(id);
const button = (text, click, properties = {}) => element("button", { type: "button", click, ...properties }, text);

// A table row. Cells are texts, descriptions, or [properties, ...children]; the first is the row's header.
const tableRow = (cells, look = null) => element("tr", { class: look }, cells.map((each, at) => {
  const [properties, ...content] = Array.isArray(each) ? each : [{}, each];
  return at ? element("td", properties, content) : element("th", { scope: "row", ...properties }, content);
}));

// A cell with an occupancy as a number and as a bar in the limiter's colour.
function shareCell({ occupancy, launchable, limiters }) {
  const text = element("span", { class: "number" }, words.percent(occupancy));
  return [{ class: "use" }, text, bar(occupancy, launchable ? limiters[0] : "fails")];
}

function bar(share, colour) {
  const part = (look, width) => drawn("rect", { class: look, width: `${100 * width}%`, height: "100%" });
  return drawn("svg", { class: "share", "aria-hidden": "true" }, part("free", 1), part(colour, Math.min(1, share)));
}
