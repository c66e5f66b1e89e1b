// Small helpers. Whatever comes from the data becomes text or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return node;
}

const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

let nCaptions = 0;

// A table of texts or elements under its caption, which may be wider than the table; numbers[k]
// says that column k holds numbers.
function table({ caption, heads, rows, numbers = [], rowHeads = true }) {
  const side = (k) => (numbers[k] ? { class: "number" } : {});
  const head = heads.map((text, k) => el("th", { scope: "col", ...side(k) }, text));
  const body = rows.map((row) => {
    const cells = row.map((cell, k) =>
      k === 0 && rowHeads
        ? el("th", { scope: "row", ...side(k) }, cell)
        : el("td", side(k), cell));
    return el("tr", {}, ...cells);
  });
  const parts = [el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)];
  return captioned(caption, el("table", {}, ...parts));
}

function captioned(caption, inner) {
  if (!caption) return inner;
  const id = `caption-${++nCaptions}`;
  inner.setAttribute("aria-labelledby", id);
  return el("div", {}, el("p", { id, class: "caption" }, caption), inner);
}

const count = (number) => number.toLocaleString("en");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;

// Three digits of a number, as people write it.
function short(number) {
  if (number === null || number === undefined || Number.isNaN(number)) return "–";
  return String(Number(number.toPrecision(3)));
}

// A colour of the style sheet as it is now, in light or in dark.
function colourOfStyle(name) {
  const probe = el("span", { hidden: true });
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
