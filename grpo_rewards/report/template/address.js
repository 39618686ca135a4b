// The address: it leads to the completions, with filters by their words and the completion that is chosen.

const KEPT_AFTER = 300; // milliseconds: browsers let a page change its address a few times in a second
const UNCHOSEN = { by: "total" };

const fieldNames = () => [...new Set([...FIELDS, ...wordFields()])];

/** The parameters of the completions in the address; null where it leads elsewhere, or to them as they are. */
function addressed() {
  const [section, query] = location.hash.split("?");
  // links that were copied from reports of earlier versions say exam
  const renamed = query?.replace(/(of=|chosen=[^&]*\.)exam%2C/g, "$1evaluation%2C");
  return section === "#completions" && renamed ? new URLSearchParams(renamed) : null;
}

/** Sets the form, and which completion is chosen, as the address has it. */
function restoreAddress() {
  const parameters = addressed();
  if (!parameters) return;
  for (const name of fieldNames()) if (field(name)) restoreField(name, parameters.get(name) ?? UNCHOSEN[name] ?? "");
  const row = rowOf(parameters.get("chosen"));
  if (row === browser.row) return;
  browser.row = row;
  if (row === undefined) detail.replaceChildren(element("p", { class: "note" }, "Choose a completion."));
  else showDetail(row);
}

function restoreField(name, its) {
  const input = field(name);
  input.querySelector?.("option[data-foreign]")?.remove();
  input.value = its;
  if (input.value === its || input.tagName !== "SELECT") return;
  if (wordFields().includes(name)) {
    const foreign = new Option(`${plain(its)} (0)`, its, false, true); // of another report: no completion has it here
    foreign.dataset.foreign = "";
    input.append(foreign);
    input.value = its;
  } else input.value = UNCHOSEN[name] ?? "";
}

function keepAddress() {
  clearTimeout(keeping);
  const kept = new URLSearchParams(fieldNames().filter((name) => value(name) !== (UNCHOSEN[name] ?? "")).filter(field).map((name) => [name, value(name)]));
  if (browser.row !== undefined) kept.set("chosen", keyOf(browser.row));
  if (String(kept) || location.hash.includes("?")) {
    const query = String(kept) ? `?${kept}` : "";
    try {
      history.replaceState(null, "", `#completions${query}`);
    } catch {
      // a page that was opened in a frame may not change its address
    }
  }
}

let keeping;
function keepAddressSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(keepAddress, KEPT_AFTER);
}

/** A completion by what stays the same in another report of its run: step, prompt, place among its answers, of what. */
function keyOf(row) {
  const { columns, index } = browser;
  const { step, of, prompt, run } = columns;
  const alike = groupOf(row).filter((one) => step[one] === step[row] && of[one] === of[row]);
  const place = alike.indexOf(row) + 1;
  return [step[row], place, digestOf(prompt[row]), index.codes.of[of[row]], index.codes.run[run[row]]].join(".");
}

function rowOf(key) {
  if (!key) return undefined;
  const { columns, index } = browser;
  for (let row = 0; row < index.rows; row++) {
    if (key.startsWith(`${columns.step[row]}.`) && keyOf(row) === key) return row;
  }
  return undefined;
}

const digests = [];
/** A prompt, by its code, in a few characters: FNV-1a of its UTF-16. */
function digestOf(code) {
  digests[code] ??= digest(browser.index.codes.prompt[code]);
  return digests[code];
}

function digest(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Shows the completions if the address is of them: no element has an address with filters, so the browser stays. */
function scrollToAddressed() {
  if (addressed()) document.getElementById("completions").scrollIntoView();
}

addEventListener("hashchange", () => {
  if (!browser.index) return;
  clearTimeout(keeping);
  if (!addressed()) {
    if (location.hash === "#completions") keepAddress(); // its link in the header has no filters
    return;
  }
  restoreAddress();
  applyFilters();
  scrollToAddressed();
});
