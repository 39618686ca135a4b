"use strict";
// What the page holds is unpacked when it is needed; texts of models become text nodes and nothing else.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

async function unpacked(name) {
  const bytes = bytesOf(document.getElementById(`packed-${name}`).textContent);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const unpackedJson = async (name) => JSON.parse(await unpacked(name));

// controls but tab and newline, what has no width or turns the direction of what follows, and halves of pairs
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
    "\\ufeff\\ufff9-\\ufffb]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]|\\udb40[\\udc00-\\udfff]",
  "g",
);

/** The text as nodes: what would not be seen, or would move its neighbours, stands there by its number. */
function shown(text, sought = null) {
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    nodes.append(marked(text.slice(from, found.index), sought));
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.append(element("span", { class: "unseen", title: "a character that is not seen" }, `U+${code}`));
    from = found.index + found[0].length;
  }
  nodes.append(marked(text.slice(from), sought));
  return nodes;
}

/** The text with what was searched for, a regular expression, in marks. */
function marked(text, sought) {
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const found of sought ? text.matchAll(sought) : []) {
    if (!found[0]) continue;
    nodes.append(text.slice(from, found.index), element("mark", {}, found[0]));
    from = found.index + found[0].length;
  }
  nodes.append(text.slice(from));
  return nodes;
}

/** What is typed into a search as a regular expression: /…/ as it stands, a text letter by letter; null for nothing. */
function expression(typed) {
  if (!typed) return null;
  const written = typed.match(/^\/(.+)\/([imsu]*)$/);
  const source = written ? written[1] : typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(source, `g${written ? written[2] : "i"}`);
}

/** A tree of MathML as an element. */
function formula([name, ...inside]) {
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
  made.append(...inside.map((one) => (typeof one === "string" ? one : formula(one))));
  return made;
}

/** An element with attributes, and with texts or nodes inside. */
function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

/** A number in few characters; a dash for none. */
function figure(value, signed = false) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const digits = Number.isInteger(value) ? String(value) : value.toPrecision(Math.abs(value) < 1 ? 3 : 4).replace(/\.?0+$/, "");
  return (signed && value > 0 ? "+" : "") + digits.replace("-", "−");
}
