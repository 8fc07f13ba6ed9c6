// What Python means where JavaScript means something else. Translated code calls nothing but this.

class InputError extends Error {
  constructor(problem, where = "", allowed = "", cure = "") {
    super(problem);
    this.problem = problem;
    this.where = where;
    this.allowed = allowed;
    this.cure = cure;
  }
}

const py = {
  truth(value) {
    if (typeof value !== "object" || value === null) return Boolean(value);
    if (Array.isArray(value)) return value.length > 0;
    return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).length > 0;
  },
  and: (first, rest) => (py.truth(first) ? rest() : first),
  or: (first, rest) => (py.truth(first) ? first : rest()),

  eq(a, b) {
    if (a === b || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
    const [first, second] = [py.parts(a), py.parts(b)];
    return first.length === second.length && first.every((each, index) => py.eq(each, second[index]));
  },
  // What a tuple with names, an array, or anything else consists of.
  parts: (value) => (Array.isArray(value) ? value : (value.parts ?? Object.entries(value).flat())),
  order(a, b) {
    if (a === null || b === null || typeof a !== typeof b) throw new TypeError("these cannot be compared");
    if (typeof a !== "object") return a < b ? -1 : a > b ? 1 : 0;
    const first = py.parts(a);
    const second = py.parts(b);
    for (let index = 0; index < first.length && index < second.length; index++) {
      const found = py.order(first[index], second[index]);
      if (found) return found;
    }
    return first.length - second.length;
  },
  lt: (a, b) => (typeof a === "number" && typeof b === "number" ? a < b : py.order(a, b) < 0),
  le: (a, b) => (typeof a === "number" && typeof b === "number" ? a <= b : py.order(a, b) <= 0),
  gt: (a, b) => (typeof a === "number" && typeof b === "number" ? a > b : py.order(a, b) > 0),
  ge: (a, b) => (typeof a === "number" && typeof b === "number" ? a >= b : py.order(a, b) >= 0),

  // Exact for integers below 2 ** 53.
  floordiv: (a, b) => (b === 0 ? py.fail("division by zero") : Math.floor(a / b)),
  mod: (a, b) => (b === 0 ? py.fail("division by zero") : a - b * Math.floor(a / b)),
  add: (a, b) => (typeof a === "object" ? [...a, ...b] : a + b),
  divmod: (a, b) => [py.floordiv(a, b), py.mod(a, b)],
  abs: Math.abs,
  int: (value) => Math.trunc(Number(value)),
  round: (value) => Math.round(value),

  fail(message) {
    throw new Error(message);
  },
  iter: (value) => (typeof value === "object" && !(Symbol.iterator in value) ? Object.keys(value) : value),
  list: (value = []) => [...py.iter(value)],
  tuple: (value = []) => [...py.iter(value)],
  dict: (value = {}) => (Array.isArray(value) ? Object.fromEntries(value) : { ...value }),
  len: (value) => (value.length === undefined ? Object.keys(value).length : value.length),
  all: (values) => [...values].every(py.truth),
  any: (values) => [...values].some(py.truth),
  sum: (values) => [...values].reduce((total, each) => total + each, 0),
  reversed: (values) => [...values].reverse(),
  zip: (...all) => {
    const lists = all.map((each) => [...py.iter(each)]);
    return lists[0].slice(0, Math.min(...lists.map((each) => each.length))).map((_, at) => lists.map((each) => each[at]));
  },
  enumerate: (values, start = 0) => [...values].map((each, index) => [index + start, each]),
  range(first, last, step = 1) {
    const [from, to] = last === undefined ? [0, first] : [first, last];
    const found = [];
    for (let at = from; step > 0 ? at < to : at > to; at += step) found.push(at);
    return found;
  },
  next(values, ...others) {
    for (const each of values) return each;
    return others.length ? others[0] : py.fail("there is no next one");
  },
  sorted: (values, { key = (each) => each, reverse = false } = {}) => {
    const found = [...py.iter(values)].sort((a, b) => (reverse ? -1 : 1) * py.order(key(a), key(b)));
    return found;
  },
  best(sign, given) {
    const last = given[given.length - 1];
    const isOptions = typeof last === "object" && last !== null && ("key" in last || "default" in last);
    const { key = (each) => each, default: fallback } = isOptions ? last : {};
    const values = isOptions ? given.slice(0, -1) : given;
    const all = values.length === 1 ? [...values[0]] : values;
    if (!all.length) return fallback === undefined ? py.fail("there is nothing to choose from") : fallback;
    return all.reduce((found, each) => (sign * py.order(key(each), key(found)) > 0 ? each : found));
  },
  min: (...values) => py.best(-1, values),
  max: (...values) => py.best(1, values),
  getattr: (value, name) => (name in value ? value[name] : py.fail(`there is no ${name}`)),
  item(value, index) {
    if (typeof value === "string" || Symbol.iterator in value) {
      const parts = typeof value === "string" ? value : py.parts(value);
      const at = index < 0 ? parts.length + index : index;
      return at in Object(parts) ? parts[at] : py.fail(`there is no element ${index}`);
    }
    return Object.hasOwn(value, index) ? value[index] : py.fail(`there is no ${index}`);
  },
  slice: (value, low, high) => (typeof value === "string" ? value : py.parts(value)).slice(low, high),
  contains(container, value) {
    if (typeof container === "string") return container.includes(value);
    if (Symbol.iterator in container) return [...container].some((each) => py.eq(each, value));
    return Object.hasOwn(container, value);
  },
  // The fields stand in the order of the constructor, and what it makes is faster to read than what is assigned.
  copy: (value, changes) => new value.constructor(...Object.keys(value).map((name) => (name in changes ? changes[name] : value[name]))),

  str(value) {
    if (value === null || value === undefined) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (Array.isArray(value)) return `(${value.map(py.str).join(", ")}${value.length === 1 ? "," : ""})`;
    if (value.toString === Object.prototype.toString) py.fail("this was not meant to be text");
    return String(value);
  },
  text: (fixed, ...values) => fixed.reduce((text, each, index) => text + py.str(values[index - 1]) + each),
  // One number, as a format string says.
  number(value, spec) {
    if (spec === ",") return grouped(value);
    if (spec.endsWith("f")) return value.toFixed(Number(spec[1]));
    if (spec.endsWith("g")) return String(Number(value.toPrecision(Number(spec[1]) || 6)));
    return py.str(value);
  },

  takewhile(test, values) {
    const found = [];
    for (const each of values) {
      if (!py.truth(test(each))) break;
      found.push(each);
    }
    return found;
  },
  groupby(values, key) {
    const found = [];
    for (const each of values) {
      const name = key(each);
      const last = found[found.length - 1];
      if (last && py.eq(last[0], name)) last[1].push(each);
      else found.push([name, [each]]);
    }
    return found;
  },
  // What `*most, last = values` takes apart: the first ones as a list, then so many single ones.
  headed(values, count) {
    const all = [...values];
    if (all.length < count) py.fail("there are too few");
    return [all.slice(0, all.length - count), ...all.slice(all.length - count)];
  },

  format(text, ...values) {
    return text.replaceAll("{}", () => py.str(values.shift()));
  },
  append: (list, value) => void list.push(value),
  extend: (list, values) => void list.push(...values),
  pop: (list) => list.pop(),
  update: (value, changes) => void Object.assign(value, changes),
  items: (value) => Object.entries(value),
  keys: (value) => Object.keys(value),
  values: (value) => Object.values(value),
  get: (value, key, fallback = null) => (Object.hasOwn(value, key) ? value[key] : fallback),
  join: (text, parts) => [...parts].join(text),
  split: (text, by) => (by === undefined ? text.trim().split(/\s+/).filter(Boolean) : text.split(by)),
  replace: (text, old, fresh) => text.replaceAll(old, fresh),
  removesuffix: (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text),
  removeprefix: (text, start) => (text.startsWith(start) ? text.slice(start.length) : text),
  startswith: (text, start) => text.startsWith(start),
  endswith: (text, end) => text.endsWith(end),
  strip: (text) => text.trim(),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  capitalize: (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
};

// 1,536
function grouped(number) {
  const [whole, ...fraction] = String(number).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}
