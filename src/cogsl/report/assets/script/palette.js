// Colours and shapes of nodes: of classes those of Okabe and Ito, of shares the scale "cividis";
// both can be told apart by the colour-blind, and classes differ in shape too.

const CLASS_COLOURS = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442",
];
const SHAPES = [
  "ellipse", "rectangle", "triangle", "diamond", "pentagon", "star", "hexagon", "vee",
];
const CIVIDIS = [
  "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369",
  "#e1cc55", "#fee838",
];

// What nodes can be coloured by: { key, title, look: node -> { colour, shape } }.
function colourModes(model) {
  const unknown = { colour: null, shape: "ellipse" };
  const ofClass = (k) => (k > 0
    ? { colour: CLASS_COLOURS[(k - 1) % CLASS_COLOURS.length], shape: SHAPES[(k - 1) % SHAPES.length] }
    : unknown);
  const ofShare = (share) => ({ colour: onScale(share), shape: "ellipse" });
  const modes = [
    { key: "label", title: "label", kind: "class", look: (i) => ofClass(model.nodes.labels[i]) },
    { key: "prediction", title: "prediction", kind: "class",
      look: (i) => ofClass(model.nodes.predictions[i]) },
    { key: "confidence", title: "confidence of the prediction", kind: "share",
      look: (i) => ofShare(model.confidence(i)) },
  ];
  model.nodes.fusion.forEach((_, view) => modes.push({
    key: `fusion-${view}`, title: `fusion weight of view ${view + 1}, ${model.views[view]}`,
    kind: "share", look: (i) => ofShare(model.fusion(i, view)),
  }));
  modes.ofClass = ofClass;
  return modes;
}

function onScale(share) {
  const place = Math.min(1, Math.max(0, share)) * (CIVIDIS.length - 1);
  const [k, rest] = [Math.floor(place), place % 1];
  const [one, other] = [CIVIDIS[k], CIVIDIS[Math.min(k + 1, CIVIDIS.length - 1)]].map(channels);
  return `rgb(${one.map((value, c) => Math.round(value + rest * (other[c] - value))).join(", ")})`;
}

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// A small picture of a node, for the legend.
const MARKS = {
  ellipse: "M7 1A6 6 0 1 1 6.99 1Z",
  rectangle: "M1.5 1.5H12.5V12.5H1.5Z",
  triangle: "M7 1L13 13H1Z",
  diamond: "M7 .5L13.5 7L7 13.5L.5 7Z",
  pentagon: "M7 1L13 5.4L10.7 12.6H3.3L1 5.4Z",
  star: "M7 .5L8.7 5H13.5L9.7 8L11 13L7 10L3 13L4.3 8L.5 5H5.3Z",
  hexagon: "M4 1.5H10L13.5 7L10 12.5H4L.5 7Z",
  vee: "M7 4L13.5 .5L7 13.5L.5 .5Z",
};

function mark(look) {
  const path = svg("path", { d: MARKS[look.shape] });
  path.style.fill = look.colour ?? "var(--unknown)";
  path.style.stroke = "var(--soft)";
  return svg("svg", { width: 14, height: 14, viewBox: "-.5 -.5 15 15", "aria-hidden": "true" }, path);
}

// The legend of a mode: the classes that are there, or the scale from 0 to 1.
function showLegend(place, model, mode, modes) {
  if (mode.kind === "share") {
    const bars = CIVIDIS.map((colour, k) => svg("rect", { x: 12 * k, width: 12, height: 12, fill: colour }));
    const scale = svg("svg", { width: 120, height: 12, "aria-hidden": "true" }, ...bars);
    place.replaceChildren(el("span", { class: "scale" }, "0", scale, "1"));
    return;
  }
  const values = mode.key === "label" ? model.nodes.labels : model.nodes.predictions;
  const found = [...new Set(values)].sort((a, b) => (a || Infinity) - (b || Infinity));
  const shown = found.slice(0, 24).map((k) =>
    el("span", { class: "entry" }, mark(modes.ofClass(k)), model.className(k)));
  if (found.length > shown.length) shown.push(`and ${found.length - shown.length} more`);
  place.replaceChildren(...shown);
}
