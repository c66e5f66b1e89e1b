// The controls, and what follows from them: the picture, the tables and what is said aloud.

class Explorer {
  constructor(model) {
    this.model = model;
    this.view = {
      centre: model.data.start, hops: 1, most: 50, kinds: new Set(KINDS),
      least: model.defaultLeast, mode: "label",
    };
    this.picture = new Picture(model, {
      onChoose: (node, focus) => this.choose(node, focus), onRead: (text) => this.say(text),
    });
    this.search = new Search(model, (node) => this.choose(node));
    this.neighbours = new Neighbours(model, this);
    this.listen();
    this.showLeast();
    this.search.set(this.view.centre);
    this.update();
  }

  listen() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    for (const radio of document.getElementsByName("hops")) {
      radio.addEventListener("change", () => this.change({ hops: Number(radio.value) }));
    }
    byId("most").addEventListener("change", (event) => this.change({ most: Number(event.target.value) }));
    this.listKinds();
    this.listColours();
    const least = byId("least");
    byId("least-field").hidden = !this.model.isLearned || this.model.nLearned === 0;
    least.addEventListener("input", () => {
      this.view.least = this.model.leastAt(Number(least.value));
      this.showLeast(false);
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.update(), 60);
    });
    byId("least-reset").addEventListener("click", () => {
      this.view.least = this.model.defaultLeast;
      this.showLeast();
      this.update();
    });
  }

  // A box for each kind of edge, with its line beside it, and buttons for either graph.
  listKinds() {
    const place = byId("kinds");
    const kinds = this.model.isLearned ? KINDS : ["kept"];
    this.boxes = new Map(kinds.map((kind) => [kind, el("input", {
      type: "checkbox", checked: true, value: kind, change: () => this.readKinds(),
    })]));
    for (const [kind, box] of this.boxes) {
      place.append(el("label", {}, box, lineSample(kind), this.model.isLearned ? kind : "given"));
    }
    if (!this.model.isLearned) return;
    const presets = { Before: ["kept", "dropped"], After: ["kept", "added"], Both: KINDS };
    const buttons = Object.entries(presets).map(([title, wanted]) => el("button", {
      type: "button",
      click: () => {
        for (const [kind, box] of this.boxes) box.checked = wanted.includes(kind);
        this.readKinds();
      },
    }, title));
    place.append(el("div", { class: "presets", role: "group", "aria-label": "Edges of which graph" }, ...buttons));
  }

  readKinds() {
    const ticked = [...this.boxes].filter(([, box]) => box.checked);
    this.change({ kinds: new Set(ticked.map(([kind]) => kind)) });
  }

  listColours() {
    const select = byId("colour");
    select.append(...this.picture.modes.map((mode) => el("option", { value: mode.key }, mode.title)));
    select.addEventListener("change", () => {
      this.view.mode = select.value;
      this.picture.colour(select.value);
      this.say(`Nodes are coloured by ${select.selectedOptions[0].textContent}.`);
    });
  }

  showLeast(moveSlider = true) {
    const { model, view } = this;
    if (!model.isLearned || model.nLearned === 0) return;
    const found = model.figures(view.least);
    const weight = short(model.weightOfStep(view.least));
    const least = byId("least");
    if (moveSlider) least.value = String(model.positionOf(view.least));
    least.setAttribute("aria-valuetext", `${weight}: ${plural(found.standing, "edge")}`);
    byId("least-value").textContent = weight;
    const cut = model.nEdges < model.nAllEdges ? " (of those in this page)" : "";
    const alike = Number.isNaN(found.homophily) ? "" : ` Homophily ${found.homophily.toFixed(3)}.`;
    byId("standing").textContent = `${plural(found.standing, "edge")} stand${found.standing === 1 ? "s" : ""}${cut}: `
      + `${count(found.kept)} kept, ${count(found.added)} added; ${count(found.dropped)} dropped.${alike}`;
  }

  change(part) {
    Object.assign(this.view, part);
    this.update();
  }

  // Makes another node the chosen one; focus: the picture keeps the keyboard.
  choose(node, focus = false) {
    this.view.centre = node;
    this.search.set(node);
    this.update();
    if (focus) this.picture.box.focus();
  }

  update() {
    const found = neighbourhood(this.model, this.view);
    this.picture.show(found, this.view);
    this.neighbours.show(this.view, found);
    this.say(this.inWords(found));
  }

  inWords(found) {
    const { model, view } = this;
    const { before, after } = model.degrees(view.centre, view.least);
    const hops = view.hops === 1 ? "one hop" : "two hops";
    const nodes = found.reachable > found.hop.size
      ? `Cut off: the nearest and strongest ${count(found.hop.size)} of ${plural(found.reachable, "node")} within ${hops} are shown`
      : `${plural(found.hop.size, "node")} within ${hops} ${found.hop.size === 1 ? "is" : "are"} shown`;
    const edges = found.nEdges > found.edges.length
      ? `the strongest ${count(found.edges.length)} of ${plural(found.nEdges, "edge")}`
      : plural(found.nEdges, "edge");
    const counts = model.isLearned ? `${count(before)} before, ${count(after)} after` : count(before);
    return `${model.name(view.centre)} has neighbours: ${counts}. ${nodes}, with ${edges} among them.`;
  }

  say(text) { byId("status").textContent = text; }
}

function lineSample(kind) {
  const line = svg("line", { x1: 1, x2: 37, y1: 5, y2: 5, "stroke-width": 3, "stroke-dasharray": EDGE_DASHES[kind]?.join(" ") });
  line.style.stroke = `var(--${kind})`;
  return svg("svg", { class: "sample", viewBox: "0 0 38 10", "aria-hidden": "true" }, line);
}
