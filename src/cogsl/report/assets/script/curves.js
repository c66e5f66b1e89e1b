// The curves of the training: one small chart a panel, readable by pointer, keys and as a table.

const CHART = { width: 420, height: 190, left: 48, right: 10, top: 12, bottom: 26 };
const DASHES = [null, "7 3", "2 3", "9 3 2 3", "4 2"];
const MOST_TABLE_ROWS = 60;

function showCurves(place, curves, best) {
  if (!curves.panels.length) {
    place.append(el("p", {}, "There is no history of the training."));
    return;
  }
  const notes = [];
  if (best) notes.push(`The dotted line marks iteration ${count(best)}, the one that was kept.`);
  if (curves.every > 1) notes.push(`Of the iterations every ${curves.every}th is drawn.`);
  notes.push("Point at a chart, or go along it with the arrow keys, to read its values.");
  const charts = curves.panels.map((panel) => chart(panel, curves.iterations, best));
  const details = el("details", {}, el("summary", {}, "All curves as a table"));
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(el("div", { class: "scroll" }, curveTable(curves)));
  });
  place.append(el("p", {}, notes.join(" ")), el("div", { class: "panels" }, ...charts), details);
}

function chart(panel, iterations, best) {
  const scale = scaleOf(panel, iterations);
  const readout = el("p", { class: "small readout", "aria-live": "polite" });
  const cursor = svg("line", { class: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom, visibility: "hidden" });
  const lines = panel.curves.map((curve, k) => {
    const path = svg("path", { class: "curve", d: pathOf(curve.values, scale), "stroke-dasharray": DASHES[k % DASHES.length] });
    path.style.stroke = curveColour(k);
    return path;
  });
  const picture = svg("svg", {
    viewBox: `0 0 ${CHART.width} ${CHART.height}`, tabindex: "0", role: "img",
    "aria-label": `${panel.title}: ${panel.curves.map((curve) => summaryOf(curve)).join("; ")}`,
  }, ...axes(scale, iterations, best), ...lines, cursor);
  follow(picture, cursor, readout, panel, iterations, scale);
  const keys = panel.curves.map((curve, k) => el("span", {}, keyLine(k), curve.name));
  const caption = el("figcaption", {}, panel.title);
  return el("figure", {}, caption, picture, el("div", { class: "keys" }, ...keys), readout);
}

const curveColour = (k) => `var(--curve-${(k % 5) + 1})`;

function keyLine(k) {
  const line = svg("line", { x1: 1, x2: 37, y1: 5, y2: 5, "stroke-width": 2.5, "stroke-dasharray": DASHES[k % DASHES.length] });
  line.style.stroke = curveColour(k);
  return svg("svg", { class: "sample", viewBox: "0 0 38 10", "aria-hidden": "true" }, line);
}

function summaryOf({ name, values }) {
  const known = values.filter((value) => value !== null);
  return known.length ? `${name} from ${short(known[0])} to ${short(known[known.length - 1])}` : `${name} has no values`;
}

function scaleOf(panel, iterations) {
  const values = panel.curves.flatMap((curve) => curve.values).filter((value) => value !== null);
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const margin = 0.04 * (high - low);
  [low, high] = [low - margin, high + margin];
  const ticks = ticksOf(low, high);
  const [first, last] = [iterations[0], iterations[iterations.length - 1]];
  const width = CHART.width - CHART.left - CHART.right;
  const height = CHART.height - CHART.top - CHART.bottom;
  return {
    ticks,
    x: (iteration) => CHART.left + (last > first ? (width * (iteration - first)) / (last - first) : width / 2),
    y: (value) => CHART.top + (height * (high - value)) / (high - low),
    at: (k) => iterations[k],
    nearest: (x) => iterations.reduce((bestAt, iteration, k) =>
      (Math.abs(iteration - first - ((x - CHART.left) / width) * (last - first))
        < Math.abs(iterations[bestAt] - first - ((x - CHART.left) / width) * (last - first)) ? k : bestAt), 0),
  };
}

// Some three to eight round numbers between two.
function ticksOf(low, high) {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step); k++) ticks.push(k * step);
  return ticks;
}

function axes(scale, iterations, best) {
  const right = CHART.width - CHART.right;
  const base = CHART.height - CHART.bottom;
  const parts = scale.ticks.flatMap((tick) => [
    svg("line", { class: "grid-line", x1: CHART.left, x2: right, y1: scale.y(tick), y2: scale.y(tick) }),
    svg("text", { x: CHART.left - 6, y: scale.y(tick) + 4, "text-anchor": "end" }, short(tick)),
  ]);
  const [first, last] = [iterations[0], iterations[iterations.length - 1]];
  parts.push(svg("text", { x: scale.x(first), y: base + 17 }, `iteration ${count(first)}`));
  if (last > first) parts.push(svg("text", { x: right, y: base + 17, "text-anchor": "end" }, count(last)));
  if (best) parts.push(svg("line", { class: "best", x1: scale.x(best), x2: scale.x(best), y1: CHART.top, y2: base }));
  return parts;
}

// A line through the values; it is broken where one is missing, and a lone value is a dot.
function pathOf(values, scale) {
  let path = "";
  values.forEach((value, k) => {
    if (value === null) return;
    const before = k > 0 && values[k - 1] !== null;
    const after = k + 1 < values.length && values[k + 1] !== null;
    const place = `${scale.x(scale.at(k)).toFixed(1)} ${scale.y(value).toFixed(1)}`;
    path += before ? `L${place}` : after ? `M${place}` : `M${place}h2`;
  });
  return path;
}

function follow(picture, cursor, readout, panel, iterations, scale) {
  let at = -1;
  const show = (k) => {
    at = Math.min(iterations.length - 1, Math.max(0, k));
    cursor.setAttribute("x1", scale.x(iterations[at]));
    cursor.setAttribute("x2", scale.x(iterations[at]));
    cursor.setAttribute("visibility", "visible");
    const values = panel.curves.map((curve) => `${curve.name} ${short(curve.values[at])}`);
    readout.textContent = `Iteration ${count(iterations[at])}: ${values.join(", ")}`;
  };
  const hide = () => cursor.setAttribute("visibility", "hidden");
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    show(scale.nearest(((event.clientX - box.left) / box.width) * CHART.width));
  });
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", (event) => {
    const moves = { ArrowRight: at + 1, ArrowLeft: at < 0 ? 0 : at - 1, Home: 0, End: iterations.length - 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(moves[event.key]);
  });
}

function curveTable({ panels, iterations }) {
  const curves = panels.flatMap((panel) => panel.curves.map((curve) => ({
    title: panel.curves.length > 1 ? `${panel.title}: ${curve.name}` : panel.title, values: curve.values,
  })));
  const every = Math.ceil(iterations.length / MOST_TABLE_ROWS);
  const kept = iterations.map((_, k) => k).filter((k) => k % every === 0 || k === iterations.length - 1);
  return table({
    caption: every > 1 ? `Every ${every}th of the points, and the last.` : "",
    heads: ["Iteration", ...curves.map((curve) => curve.title)],
    rows: kept.map((k) => [count(iterations[k]), ...curves.map((curve) => short(curve.values[k]))]),
    numbers: [true, ...curves.map(() => true)],
  });
}
