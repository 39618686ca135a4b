// Which completions are left, and in which order: the form, and what it means.

const FIELDS = ["run", "of", "from", "to", "by", "least", "most", "variance", "prompt", "text", "sort"];
const wordFields = () => ["run", "of", ...browser.index.rewards.map((one) => `reason ${one}`)];
const field = (name) => document.getElementById(`filter-${name}`);
const value = (name) => field(name)?.value ?? "";

function labelled(name, label, input) {
  input.id = `filter-${name}`;
  input.name = name;
  return element("label", {}, element("span", {}, label), input);
}

function choice(options) {
  const made = element("select");
  for (const [its, label] of options) made.append(new Option(label, its));
  return made;
}

function buildFilters() {
  const form = document.getElementById("filters");
  const { codes, rewards } = browser.index;
  const number = (placeholder) => element("input", { type: "number", step: "any", placeholder });
  if (codes.run.length > 1) form.append(labelled("run", "Run", choice([["", "all"], ...codes.run.map((one) => [one, plain(one)])])));
  if (codes.of.length > 1) form.append(labelled("of", "Of", choice([["", "all"], ...codes.of.map((one) => [one, plain(one)])])));
  form.append(labelled("from", "Steps from", number("first")), labelled("to", "to", number("last")));
  for (const name of rewards) {
    const reasons = codes[`reason ${name}`];
    if (!reasons) continue;
    const trained = new Int32Array(reasons.length);
    const evaluated = new Int32Array(reasons.length);
    browser.columns[`reason ${name}`].forEach((code, row) => {
      if (code >= 0) (ofEvaluation(row) ? evaluated : trained)[code]++;
    });
    const order = [...reasons.keys()].sort((one, other) => trained[other] - trained[one] || evaluated[other] - evaluated[one]);
    const counted = (at) => `${trained[at].toLocaleString("en")}${evaluated[at] ? `, ${evaluated[at].toLocaleString("en")} evaluated` : ""}`;
    const options = order.map((at) => [reasons[at], `${plain(reasons[at])} (${counted(at)})`]);
    form.append(labelled(`reason ${name}`, plain(name), choice([["", "any reason"], ...options])));
  }
  const totals = [["total", "total"], ...rewards.map((one) => [`reward ${one}`, plain(one)]), ["advantage", "advantage"], ["length", "characters"]];
  form.append(labelled("by", "Where", choice(totals)), labelled("least", "at least", number("any")), labelled("most", "at most", number("any")));
  form.append(labelled("variance", "Groups", choice([["", "all"], ["some", "with variance"], ["none", "without variance"]])));
  form.append(labelled("prompt", "Prompt has", element("input", { type: "search", title: "a text, or /a regular expression/" })));
  const text = element("input", { type: "search", title: "in the completion, its predictions and its golds; a text, or /a regular expression/" });
  form.append(labelled("text", "Completion has", text));
  const sorts = [["", "in order"]];
  for (const [its, label] of totals) sorts.push([`-${its}`, `${label}, highest first`], [`+${its}`, `${label}, lowest first`]);
  form.append(labelled("sort", "Sort", choice(sorts)));
  const exports = element("select", { id: "export", "aria-label": "Export what is left" });
  exports.append(new Option("Export …", ""), new Option("as CSV", "csv"), new Option("as JSON lines", "jsonl"));
  exports.addEventListener("input", (event) => {
    event.stopPropagation(); // it is no filter
    exportMatched(exports.value);
    exports.value = "";
  });
  form.append(element("button", { type: "reset" }, "Show all"), exports);
  restoreAddress();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => applyFilters());
  form.addEventListener("reset", () => setTimeout(applyFilters));
}

/** A name without what is not seen, for places that take no elements. */
const plain = (text) => text.replace(UNSEEN, "�");

/** The regular expression of a search; one that is none finds nothing, and its field says so. */
function searched(name) {
  const input = field(name);
  try {
    input.setCustomValidity("");
    return expression(value(name));
  } catch (error) {
    input.setCustomValidity(error.message);
    input.reportValidity();
    return /(?!)/g;
  }
}

/** Notes for each row whether its group has variance: completions that did not all earn the same. */
function findVariance() {
  const { group, total } = browser.columns;
  browser.varies = new Uint8Array(browser.index.rows);
  for (let start = 0, end = 0; start < browser.index.rows; start = end) {
    while (end < browser.index.rows && group[end] === group[start]) end++;
    const varies = total.subarray(start, end).some((one) => Math.abs(one - total[start]) > 1e-6);
    browser.varies.fill(varies, start, end);
  }
}

/** What a row must meet, as functions of its number; the dearest come last. */
function conditions() {
  const { columns, index } = browser;
  const found = [];
  for (const name of wordFields()) {
    if (value(name) === "") continue;
    const code = index.codes[name].indexOf(value(name)); // a word that no completion has leaves none
    found.push((row) => columns[name][row] === code);
  }
  const between = (name, least, most) => {
    if (least !== "") found.push((row) => columns[name][row] >= Number(least));
    if (most !== "") found.push((row) => columns[name][row] <= Number(most));
  };
  between("step", value("from"), value("to"));
  between(value("by"), value("least"), value("most"));
  if (value("variance")) found.push((row) => Boolean(browser.varies[row]) === (value("variance") === "some"));
  const wanted = searched("prompt");
  if (wanted) {
    const has = index.codes.prompt.map((one) => one.search(wanted) >= 0);
    found.push((row) => has[columns.prompt[row]]);
  }
  const sought = searched("text");
  if (sought) found.push((row) => browser.whole[row]?.search(sought) >= 0);
  return found;
}

let latest = 0;
async function applyFilters() {
  const mine = ++latest;
  if (value("text") && document.body.dataset.texts !== "ready") {
    document.getElementById("count").textContent = "Reading the texts …";
    await readAll();
    if (mine !== latest) return;
  }
  const began = performance.now();
  const checks = conditions();
  const { rows } = browser.index;
  const matched = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (checks.every((meets) => meets(row))) matched[count++] = row;
  browser.matched = sorted(matched.subarray(0, count));
  const kept = browser.matched.indexOf(browser.row ?? -1);
  browser.chosen = kept;
  document.getElementById("spacer").style.height = `${count * ROW_HEIGHT}px`;
  list.scrollTop = Math.max(kept, 0) * ROW_HEIGHT;
  document.getElementById("count").textContent = `${count.toLocaleString("en")} of ${rows.toLocaleString("en")} completions`;
  document.getElementById("none").hidden = count > 0;
  detail.hidden = count === 0;
  keepAddress();
  render(true);
  document.body.dataset.filtered = String(Math.ceil(performance.now() - began));
}

function sorted(rows) {
  const sort = value("sort");
  if (!sort) return rows;
  const by = browser.columns[sort.slice(1)];
  const sign = sort[0] === "-" ? -1 : 1;
  const last = (one) => (Number.isNaN(by[one]) ? 1 : 0);
  return rows.sort((one, other) => last(one) - last(other) || sign * (by[one] - by[other]) || one - other);
}
