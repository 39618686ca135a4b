// What leaves the page: the completions that are left, as a file; one of them, or the command that judges it again.

const LONGEST_PROMPT = 2000; // characters of one that stands in a command

/** A completion with all that is known of it, by column. */
function record(row) {
  const { columns, index } = browser;
  const number = (one) => (one === undefined || Number.isNaN(one) ? null : one);
  const found = {
    run: index.codes.run[columns.run[row]],
    of: index.codes.of[columns.of[row]],
    step: columns.step[row],
    prompt: index.codes.prompt[columns.prompt[row]],
    completion: browser.texts[row],
    total: number(columns.total[row]),
    advantage: number(columns.advantage[row]),
  };
  for (const name of index.rewards) {
    found[name] = number(columns[`reward ${name}`]?.[row]);
    found[`${name}/reason`] = reasonOf(row, name);
  }
  for (const name of index.cells) found[name] = browser.cells[row][name] ?? null;
  return found;
}

async function exportMatched(kind) {
  if (!kind) return;
  await readAll();
  const records = Array.from(browser.matched, record);
  const names = Object.keys(records[0] ?? {});
  const lines = kind === "csv" ? [names, ...records.map((one) => names.map((name) => one[name]))].map((row) => row.map(csvCell).join(",")) : records.map((one) => JSON.stringify(one));
  const type = kind === "csv" ? "text/csv" : "application/jsonl";
  const link = element("a", { href: URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type })), download: `completions.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A cell of CSV. A text that a spreadsheet would compute is kept from it by an apostrophe. */
function csvCell(value) {
  if (value === null) return "";
  const text = String(value);
  const computed = typeof value === "string" && /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+$/.test(text);
  return /[",\n\r]/.test(text) || computed ? `"${computed ? "'" : ""}${text.replaceAll('"', '""')}"` : text;
}

/** Buttons that copy a completion, and for each reward the command that judges it again. */
function copying(row) {
  const place = element("div", { class: "copying" });
  const add = (label, text) => {
    const button = element("button", { type: "button" }, shown(label));
    button.addEventListener("click", async () => {
      await copied(text());
      button.textContent = "Copied";
      setTimeout(() => button.replaceChildren(shown(label)), 1500);
    });
    place.append(button);
  };
  add("Copy completion", () => browser.texts[row]);
  for (const name of browser.index.rewards) {
    if (reasonOf(row, name) !== null) add(`Copy explain ${name}`, () => explainCommand(row, name));
  }
  return place;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // a page that may not use the clipboard copies what is selected
    const area = element("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function explainCommand(row, name) {
  const { columns, index } = browser;
  const words = ["grpo-rewards", "explain", quoted(index.specs[name] ?? name), ...goldOptions(browser.cells[row][`${name}/answer`])];
  const prompt = index.codes.prompt[columns.prompt[row]];
  if (prompt && prompt.length <= LONGEST_PROMPT) words.push("--prompt", quoted(prompt));
  return [...words, "--", quoted(browser.texts[row])].join(" ");
}

/** The gold as options: a text is the column answer, an object has a value for each column. */
function goldOptions(gold) {
  if (gold === undefined) return [];
  try {
    const held = gold.startsWith("{") ? JSON.parse(gold) : null;
    if (held) return Object.entries(held).flatMap(([column, its]) => ["--column", quoted(`${column}:=${JSON.stringify(its)}`)]);
  } catch {
    // a gold that begins like an object, and is a text
  }
  return ["--answer", quoted(gold)];
}
