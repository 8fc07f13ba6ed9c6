// The engine behind one function, for the chips of the table.

const DATA = JSON.parse(document.getElementById("data").textContent);

// An object of a translated class, whose constructor takes the fields in this order.
function made(Class, values) {
  return new Class(...Object.keys(new Class()).map((name) => values[name]));
}

// One chip after the other; a limit is written once for all neighbouring chips that have it in common.
const CHIPS = (() => {
  const rows = [];
  for (const [name, runs] of Object.entries(DATA.chips)) {
    runs.flatMap(([count, value]) => Array(count).fill(value)).forEach((value, at) => ((rows[at] ??= {})[name] = value));
  }
  return rows.map((values) => {
    values.compute_capability = new ComputeCapability(...values.compute_capability);
    values.spreadsheet &&= made(SpreadsheetColumn, values.spreadsheet);
    return made(Limits, values);
  });
})();

// By a tuple, which as the name of a property is its parts with commas.
const MEASURED = Object.fromEntries(DATA.measured.map(([key, gpu, clusters]) => [key, { gpu, clusters, blocks: clusters * key.split(",")[3] }]));

const measurements = () => MEASURED;

// Hopper (H100)
const familyOf = ({ compute_capability: cc, architecture }) => `${architecture}${DATA.known_by[cc] ? ` (${DATA.known_by[cc]})` : ""}`;

const chipOf = (cc) => CHIPS.find((each) => String(each.compute_capability) === cc);
