
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const STEP = 250;
const state = { column: -1, down: false, shown: STEP };
const body = document.querySelector("#rows tbody");
const isText = (column) => data.columns[column].kind === "text";
const text = (row, column) => (isText(column) ? row[column] : row[column][1]);
const words = data.rows.map((row) => row.map((cell, column) => text(row, column)).join(" ").toLowerCase());

function element(name, attributes, content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (content !== undefined) made.textContent = content;
  return made;
}

function field(label, input) {
  const around = element("label", {}, label);
  around.append(input);
  document.getElementById("filters").append(around);
  input.addEventListener("input", () => { state.shown = STEP; draw(); });
  return input;
}

const search = field("Search", element("input", { type: "search", placeholder: "words, * for anything" }));
const choices = [];
data.columns.forEach((column, number) => {
  if (column.is_choice) {
    const values = [...new Set(data.rows.map((row) => text(row, number)))].sort((a, b) =>
      a.localeCompare(b, "en", { numeric: true }));
    if (values.length < 2 || values.length > 200) return;
    const select = element("select", {});
    select.append(element("option", { value: "-1" }, "all"));
    values.forEach((value, place) => select.append(element("option", { value: String(place) }, value || "none")));
    choices.push({ number, values, input: field(column.title, select) });
  } else if (column.kind === "share") {
    const most = element("input", { type: "number", min: "0", max: "100", placeholder: "100" });
    choices.push({ number, input: field(column.title + " below %", most) });
  }
});

function pattern(word) {
  const parts = word.split("*").filter((part) => part);
  return (line) => {
    let from = 0;
    for (const part of parts) {
      const place = line.indexOf(part, from);
      if (place < 0) return false;
      from = place + part.length;
    }
    return true;
  };
}

function chosen() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter((word) => word).map(pattern);
  const numbers = [];
  data.rows.forEach((row, number) => {
    if (!wanted.every((matches) => matches(words[number]))) return;
    for (const each of choices) {
      if (each.values) {
        const place = Number(each.input.value);
        if (place >= 0 && text(row, each.number) !== each.values[place]) return;
      } else if (each.input.value !== "") {
        const share = row[each.number][0];
        if (share === null || 100 * share >= Number(each.input.value)) return;
      }
    }
    numbers.push(number);
  });
  if (state.column >= 0) {
    const column = state.column, sign = state.down ? -1 : 1;
    numbers.sort((one, other) => {
      const a = data.rows[one][column], b = data.rows[other][column];
      if (isText(column)) return sign * a.localeCompare(b, "en", { numeric: true }) || one - other;
      if (a[0] === null || b[0] === null) return (a[0] === null) - (b[0] === null) || one - other;
      return sign * (a[0] - b[0]) || one - other;
    });
  }
  return numbers;
}

function cell(row, number) {
  const column = data.columns[number];
  const made = element("td", { class: number === 0 ? "name" : column.kind }, text(row, number));
  if (column.kind === "share" && row[number][0] !== null) {
    const share = row[number][0];
    made.classList.add(share === 0 ? "bad" : share >= 0.5 ? "good" : "fair");
    made.append(element("progress", { max: "1", value: String(share), "aria-hidden": "true" }));
  } else if (column.kind === "number") made.classList.add("number");
  return made;
}

function draw() {
  const numbers = chosen();
  body.replaceChildren(...numbers.slice(0, state.shown).map((number) => {
    const line = element("tr");
    line.append(...data.rows[number].map((_, column) => cell(data.rows[number], column)));
    return line;
  }));
  const all = data.rows.length.toLocaleString("en"), some = numbers.length.toLocaleString("en");
  document.getElementById("count").textContent = numbers.length === data.rows.length ? all + " rows" : some + " of " + all + " rows";
  const more = document.getElementById("more"), left = numbers.length - state.shown;
  more.hidden = left <= 0;
  more.textContent = "Show " + Math.min(left, 4 * STEP).toLocaleString("en") + " more of " + left.toLocaleString("en");
}

const head = element("tr");
data.columns.forEach((column, number) => {
  const title = element("th", { scope: "col", class: column.kind === "number" ? "number" : "" });
  const button = element("button", { type: "button" }, column.title);
  button.addEventListener("click", () => {
    state.down = state.column === number ? !state.down : column.kind === "number";
    state.column = number;
    head.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
    title.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    draw();
  });
  title.append(button);
  head.append(title);
});
document.querySelector("#rows thead").append(head);
document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("more").addEventListener("click", () => { state.shown += 4 * STEP; draw(); });
draw();
