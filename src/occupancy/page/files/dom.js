// Elements are described, then shown. Nothing here parses markup: text stays text.
const describe = (space) => (name, properties = {}, ...children) => ({ name, properties, children, space });
const [element, drawn] = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"].map(describe);
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
// Replace the children of a node. Each is a text, a description, or a list of them.
function fill(node, children) {
  let at = node.firstChild;
  for (const each of children.flat(Infinity)) {
    if (each === null || each === undefined || each === "" || each === false) continue;
    const isText = typeof each !== "object";
    if (isText ? at?.data === undefined : at?.localName !== each.name) {
      node.insertBefore(isText ? new Text(each) : adapt(document.createElementNS(each.space, each.name), each), at);
      continue;
    }
    if (!isText) adapt(at, each);
    else if (at.data !== each) at.data = each;
    at = at.nextSibling;
  }
  while (at) [at] = [at.nextSibling, at.remove()];
}
function settle(node, text) { if (node.textContent !== text) node.textContent = text; }
const byId = (id) => document.getElementById(id);
const button = (text, click, properties = {}) => element("button", { type: "button", click, ...properties }, text);
const removal = (label, click) => button("✕", click, { class: "plain", "aria-label": label, title: label });
// The occupancy of a result and its bar.
const occupancyBar = (result) => (!result || verdictOf({ result }).isBad ? element("span", { class: "fails" }, "fails")
  : [element("span", { class: "number" }, words.percent(result.occupancy)), bar(result.occupancy, result.limiters[0])]);
function bar(share, colour, blocks = 1, look = "share") {
  const gap = blocks > 1 ? Math.min(0.3, 33 * share) : 0;
  const part = (x, width, name) =>
    drawn("rect", { x: `${100 * x}%`, width: `${100 * width - gap}%`, height: "100%", class: name });
  return drawn("svg", { class: look, "aria-hidden": "true" }, part(0, blocks * share, "free"),
    Array.from({ length: Math.min(blocks, 256) }, (_, at) => part(share * at, share, colour)));
}
