// The completions: filtered and sorted by columns of numbers, a list that has only the rows in view, and one in full.

const ROW_HEIGHT = 60;
const AT_ONCE = 8; // chunks, of which the machine unpacks several side by side
const browser = { index: null, columns: {}, matched: new Int32Array(0), chosen: -1, chunks: [], texts: [], cells: [], whole: [] };
const list = document.getElementById("list");
const detail = document.getElementById("detail");

async function beginBrowser() {
  if (!list) return;
  const index = await unpackedJson("index");
  browser.index = index;
  for (const [name, values] of Object.entries(index.columns)) {
    browser.columns[name] = Float64Array.from(values, (one) => one ?? NaN);
  }
  browser.formulas = await unpackedJson("formulas");
  findVariance();
  buildFilters();
  applyFilters();
  // a page that is loaded anew stays where it was
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") scrollToAddressed();
  document.body.dataset.browser = "ready";
  performance.mark("list");
  await readAll();
  document.body.dataset.texts = "ready";
  performance.mark("texts");
}

/** Reads a chunk of texts, once. */
function readChunk(at) {
  browser.chunks[at] ??= unpackedJson(`chunk-${at}`).then(({ texts, cells }) => {
    const start = at * browser.index.chunk;
    texts.forEach((text, row) => {
      browser.texts[start + row] = text;
      const its = {};
      for (const name in cells) if (cells[name][row] !== null && cells[name][row] !== undefined) its[name] = cells[name][row];
      browser.cells[start + row] = its;
      browser.whole[start + row] = [text, ...Object.values(its)].join("\n");
    });
  });
  return browser.chunks[at];
}

const chunkOf = (row) => Math.floor(row / browser.index.chunk);

async function readAll() {
  const count = Math.ceil(browser.index.rows / browser.index.chunk);
  for (let from = 0; from < count; from += AT_ONCE) {
    const these = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => readChunk(from + at));
    await Promise.all(these);
  }
}

// --- the list

let first = -1;
let end = -1;
function render(anew = false) {
  const from = Math.max(Math.floor(list.scrollTop / ROW_HEIGHT) - 4, 0);
  const to = Math.min(from + Math.ceil(list.clientHeight / ROW_HEIGHT) + 8, browser.matched.length);
  if (!anew && from === first && to === end) return;
  [first, end] = [from, to];
  const items = [];
  for (let at = from; at < to; at++) items.push(item(at));
  document.getElementById("spacer").replaceChildren(...items);
  markChosen();
}

function item(at) {
  const row = browser.matched[at];
  const { columns, index } = browser;
  const made = element("div", { class: "item", role: "option", id: `item-${at}`, "aria-setsize": browser.matched.length, "aria-posinset": at + 1 });
  made.style.top = `${at * ROW_HEIGHT}px`;
  made.dataset.at = at;
  const head = element("div", { class: "head" }, element("span", {}, whenOf(row)), element("b", {}, figure(columns.total[row])));
  for (const name of index.rewards) {
    const reason = reasonOf(row, name);
    if (reason !== null) head.append(element("span", { class: "reason" }, shown(reason)));
  }
  if (!Number.isNaN(columns.advantage[row])) head.append(element("span", { class: "advantage" }, `adv ${figure(columns.advantage[row], true)}`));
  const text = element("div", { class: "start" });
  made.append(head, text);
  fill(text, row);
  return made;
}

async function fill(place, row) {
  if (browser.texts[row] === undefined) await readChunk(chunkOf(row));
  const sought = searched("text");
  const text = browser.texts[row];
  const found = sought ? text.search(sought) : -1;
  const start = Math.max(found - 40, 0);
  place.replaceChildren(shown((start ? "…" : "") + text.slice(start, start + 200), sought));
}

function whenOf(row) {
  const { codes } = browser.index;
  const run = codes.run.length > 1 ? `${plain(codes.run[browser.columns.run[row]])} · ` : "";
  return `${run}${ofEvaluation(row) ? `${plain(codes.of[browser.columns.of[row]])}, ` : ""}step ${browser.columns.step[row]}`;
}

/** Whether a row is an answer of an evaluation: its group are all answers to the problem, and there is no advantage. */
const ofEvaluation = (row) => browser.index.codes.of[browser.columns.of[row]] !== "training";

function reasonOf(row, name) {
  const code = browser.columns[`reason ${name}`]?.[row];
  return code === undefined || Number.isNaN(code) ? null : browser.index.codes[`reason ${name}`][code];
}

function choose(at, { scroll = true } = {}) {
  if (at < 0 || at >= browser.matched.length) return;
  browser.chosen = at;
  if (scroll) {
    const top = at * ROW_HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
  }
  render();
  markChosen();
  showDetail(browser.matched[at]);
}

function markChosen() {
  for (const one of list.querySelectorAll(".item")) one.setAttribute("aria-selected", String(Number(one.dataset.at) === browser.chosen));
  const active = document.getElementById(`item-${browser.chosen}`);
  if (active) list.setAttribute("aria-activedescendant", active.id);
  else list.removeAttribute("aria-activedescendant");
}

// --- one completion, and its group

async function showDetail(row) {
  browser.row = row;
  keepAddressSoon();
  const members = groupOf(row);
  await Promise.all([...new Set(members.map(chunkOf))].map(readChunk));
  if (browser.row !== row) return;
  const prompt = browser.index.codes.prompt[browser.columns.prompt[row]];
  detail.replaceChildren(
    element("h3", {}, `${whenOf(row)}, ${members.indexOf(row) + 1} of ${members.length}`),
    element("h4", {}, "Prompt"),
    element("pre", { class: "prompt", dir: "auto" }, shown(prompt, searched("prompt"))),
    element("h4", {}, "Completion"),
    element("pre", { class: "completion", dir: "auto" }, shown(browser.texts[row], searched("text"))),
    verdicts(row),
    copying(row),
    ...overTheRun(row),
    ...(members.length > 1 ? [element("h4", {}, `${ofEvaluation(row) ? "All answers to the problem, evaluation by evaluation:" : "The group of"} ${members.length}`), sideBySide(members, row)] : []),
  );
}

/** The rows of the same prompt at the same step of the same run, which lie side by side. */
function groupOf(row) {
  const { group } = browser.columns;
  let start = row;
  let stop = row + 1;
  while (start > 0 && group[start - 1] === group[row]) start--;
  while (stop < browser.index.rows && group[stop] === group[row]) stop++;
  return Array.from({ length: stop - start }, (_, at) => start + at);
}

function verdicts(row) {
  const { columns, index } = browser;
  const table = element("table", { class: "text verdicts" });
  const line = (name, ...cells) => table.append(element("tr", {}, element("th", { scope: "row" }, shown(name)), ...cells.map((one) => element("td", {}, one))));
  const its = { ...browser.cells[row] };
  for (const name of index.rewards) {
    const given = columns[`reward ${name}`]?.[row];
    if (given === undefined) continue;
    const words = element("div", {}, element("b", {}, figure(given)), " ", shown(reasonOf(row, name) ?? ""));
    for (const cell of index.cells.filter((one) => one.startsWith(`${name}/`) && its[one] !== undefined)) {
      const called = { answer: "gold" }[cell.slice(name.length + 1)] ?? cell.slice(name.length + 1);
      const written = element("div", { class: "cell" }, element("span", {}, shown(called)), element("bdi", {}, shown(its[cell])));
      const tree = Object.hasOwn(browser.formulas, its[cell]) ? browser.formulas[its[cell]] : null;
      if (tree) written.append(formula(tree));
      words.append(written);
      delete its[cell];
    }
    line(name, words);
  }
  line("total", element("b", {}, figure(columns.total[row])));
  if (!Number.isNaN(columns.advantage[row])) line("advantage", figure(columns.advantage[row], true));
  for (const [name, cell] of Object.entries(its)) line(name, element("bdi", {}, shown(cell)));
  return table;
}

/** How a prompt fared: of each step, or evaluation, that had it, the mean total and the means of the rewards. */
function overTheRun(row) {
  const { columns, index } = browser;
  const times = new Map();
  for (let other = 0; other < index.rows; other++) {
    if (columns.prompt[other] !== columns.prompt[row] || columns.run[other] !== columns.run[row]) continue;
    const when = whenOf(other);
    if (!times.has(when)) times.set(when, []);
    times.get(when).push(other);
  }
  if (times.size < 2) return [];
  const named = index.rewards.filter((name) => columns[`reward ${name}`] && !Number.isNaN(columns[`reward ${name}`][row]));
  const heads = ["when", "completions", "total", ...named].map((one) => element("th", { scope: "col" }, shown(one)));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)));
  const mean = (rows, column) => {
    const values = rows.map((one) => columns[column][one]).filter((one) => !Number.isNaN(one));
    return values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : NaN;
  };
  for (const [when, rows] of [...times].sort((one, other) => columns.step[one[1][0]] - columns.step[other[1][0]])) {
    const cells = [rows.length, mean(rows, "total"), ...named.map((name) => mean(rows, `reward ${name}`))];
    const line = element("tr", {}, element("th", { scope: "row" }, shown(when)), ...cells.map((one) => element("td", {}, figure(one))));
    if (rows.includes(row)) line.className = "here";
    table.append(line);
  }
  const place = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "This prompt over the run" }, table);
  return [element("h4", {}, "This prompt over the run"), place];
}

function sideBySide(members, row) {
  const place = element("div", { class: "group scroll", tabindex: "0", role: "group", "aria-label": "The group side by side" });
  for (const one of members) {
    const reasons = browser.index.rewards.map((name) => reasonOf(one, name)).filter((reason) => reason !== null);
    const advantage = browser.columns.advantage[one];
    const card = element("button", { type: "button", class: "card", "aria-pressed": String(one === row) });
    card.classList.toggle("rewarded", advantage > 0);
    card.classList.toggle("charged", advantage < 0);
    card.append(
      element("span", { class: "head" }, element("b", {}, figure(browser.columns.total[one])), Number.isNaN(advantage) ? ` ${whenOf(one)}` : ` advantage ${figure(advantage, true)}`),
      element("span", { class: "reasons" }, shown(reasons.join(" · "))),
      element("span", { class: "whole", dir: "auto" }, shown(browser.texts[one])),
    );
    card.addEventListener("click", () => {
      browser.chosen = browser.matched.indexOf(one);
      render(true);
      showDetail(one).then(() => detail.querySelector('.card[aria-pressed="true"]')?.focus());
    });
    place.append(card);
  }
  return place;
}

/** The next completion of the list, before or behind, that is of another group. */
function otherGroup(direction) {
  const { group } = browser.columns;
  const mine = group[browser.row];
  // what is shown may be filtered out; then its group may be in the list, or the list is gone through from its start
  let at = browser.chosen < 0 ? browser.matched.findIndex((row) => group[row] === mine) : browser.chosen;
  if (at < 0 && direction > 0) at = 0;
  while (at >= 0 && at < browser.matched.length && group[browser.matched[at]] === mine) at += direction;
  choose(at);
}

const PAGE = () => Math.max(Math.floor(list.clientHeight / ROW_HEIGHT) - 1, 1);
const MOVES = {
  ArrowDown: () => browser.chosen + 1,
  ArrowUp: () => Math.max(browser.chosen - 1, 0),
  PageDown: () => Math.min(browser.chosen + PAGE(), browser.matched.length - 1),
  PageUp: () => Math.max(browser.chosen - PAGE(), 0),
  Home: () => 0,
  End: () => browser.matched.length - 1,
};

if (list) {
  list.addEventListener("scroll", () => requestAnimationFrame(() => render()));
  list.addEventListener("click", (event) => {
    const one = event.target.closest(".item");
    if (one) choose(Number(one.dataset.at), { scroll: false });
    if (one && matchMedia("(max-width: 760px)").matches) detail.scrollIntoView(); // it is below the list there
  });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter") detail.focus();
    if (!MOVES[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(MOVES[event.key]());
  });
  addEventListener("resize", () => render(true));
}

addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || !browser.index) return;
  if (event.key === "/") {
    event.preventDefault();
    field("text").focus();
  }
  if (event.key === "n") otherGroup(1);
  if (event.key === "p") otherGroup(-1);
});
