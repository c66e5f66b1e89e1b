// The picture of a neighbourhood, drawn by Cytoscape.js.

// Cytoscape's own dots are so close that a thick line of them looks solid.
const EDGE_DASHES = { kept: null, added: [9, 5], dropped: [3, 6] };
const MOST_NAMED = 60; // with more nodes only the chosen one has its name beside it
const MANY_EDGES = 60; // with more, those that do not touch the chosen node are faint

class Picture {
  constructor(model, { onChoose, onRead }) {
    Object.assign(this, { model, onChoose, onRead, modes: colourModes(model) });
    this.box = byId("picture");
    this.tip = byId("tip");
    this.cy = cytoscape({
      container: this.box, minZoom: 0.1, maxZoom: 6, boxSelectionEnabled: false,
      autounselectify: true, userZoomingEnabled: false, style: [],
    });
    this.cy.on("tap", "node", (event) => onChoose(Number(event.target.id())));
    this.cy.on("mouseover", "node, edge", (event) => this.read(event.target));
    this.cy.on("mouseout", "node, edge", () => this.unread());
    this.cy.on("viewport", () => this.unread());
    this.listen();
    this.restyle();
  }

  listen() {
    this.box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      const at = this.box.getBoundingClientRect();
      const place = { x: event.clientX - at.left, y: event.clientY - at.top };
      this.cy.zoom({ level: this.cy.zoom() * Math.exp(-event.deltaY / 300), renderedPosition: place });
    }, { passive: false });
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.box.addEventListener("blur", () => this.unread());
    byId("zoom-in").addEventListener("click", () => this.zoom(1.3));
    byId("zoom-out").addEventListener("click", () => this.zoom(1 / 1.3));
    byId("zoom-fit").addEventListener("click", () => this.fit());
  }

  zoom(factor) {
    const middle = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: middle });
  }

  fit() {
    this.cy.fit(undefined, 36);
    if (this.cy.zoom() > 1.3) {
      this.cy.zoom(1.3);
      this.cy.center();
    }
  }

  show(found, view) {
    this.found = found;
    this.view = view;
    this.unread();
    const nodes = [...found.hop].map(([i, hop]) => ({
      group: "nodes", data: { id: String(i), name: this.model.name(i), hop },
      classes: hop === 0 ? "centre" : "",
    }));
    const edges = found.edges.map((e) => ({
      group: "edges", classes: this.model.kindOf(e, view.least),
      data: {
        id: `e${e}`, source: String(this.model.low[e]), target: String(this.model.high[e]),
        width: this.width(e),
      },
    }));
    const isNamed = found.hop.size <= MOST_NAMED;
    const places = placesOf(this.model, found, view.centre, isNamed);
    for (const node of nodes) {
      node.position = places.get(Number(node.data.id));
      node.data.side = node.position.x < 0 ? "left" : "right";
    }
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add([...nodes, ...edges]);
      this.cy.nodes().toggleClass("named", isNamed);
      this.cy.edges().toggleClass("many", found.edges.length > MANY_EDGES);
      this.cy.getElementById(String(view.centre)).connectedEdges().addClass("near");
    });
    this.colour(view.mode);
    this.fit();
    this.order = found.edges;
    this.at = -1;
    const kinds = KINDS.map((kind) => `${edges.filter((edge) => edge.classes === kind).length} ${kind}`);
    this.box.setAttribute("aria-label",
      `Picture of the graph around ${this.model.name(view.centre)}: ${plural(nodes.length, "node")}, `
      + `${plural(edges.length, "edge")} (${kinds.join(", ")})`);
  }

  // 1.5 to 4, by the place of the weight among all; a dropped edge that has none is thin.
  width(e) {
    const least = this.model.learned[e];
    return least > 0 ? 1.5 + (2.5 * this.model.positionOf(least)) / 1000 : 1.5;
  }

  colour(key) {
    const mode = this.modes.find((each) => each.key === key) ?? this.modes[0];
    const unknown = colourOfStyle("unknown");
    this.cy.batch(() => this.cy.nodes().forEach((node) => {
      const look = mode.look(Number(node.id()));
      node.data({ colour: look.colour ?? unknown, shape: look.shape });
    }));
    showLegend(byId("legend"), this.model, mode, this.modes);
  }

  restyle() {
    const c = Object.fromEntries(["ink", "paper", "accent", "unknown", ...KINDS].map((name) => [name, colourOfStyle(name)]));
    const name = { label: "data(name)", color: c.ink, "font-size": 12, "text-wrap": "ellipsis",
      "text-max-width": 170, "text-background-color": c.paper, "text-background-opacity": 0.8,
      "text-background-padding": 1 };
    const outward = ["left", "right"].map((side) => ({
      selector: `node.named[side = "${side}"]`,
      style: { "text-valign": "center", "text-halign": side, "text-margin-x": side === "left" ? -4 : 4 },
    }));
    const lines = KINDS.map((kind) => ({
      selector: `edge.${kind}`, style: {
        "line-color": c[kind], "line-style": EDGE_DASHES[kind] ? "dashed" : "solid",
        "line-dash-pattern": EDGE_DASHES[kind] ?? [1, 0],
      },
    }));
    this.cy.style([
      { selector: "node", style: { width: 18, height: 18, "background-color": "data(colour)",
        shape: "data(shape)", "border-width": 1, "border-color": c.ink, "border-opacity": 0.7 } },
      { selector: "node.named", style: name },
      ...outward,
      { selector: "node.centre", style: { ...name, width: 28, height: 28, "border-width": 3,
        "border-opacity": 1, "font-weight": "bold", "text-valign": "bottom", "text-halign": "center",
        "text-margin-x": 0, "text-margin-y": 4 } },
      { selector: "edge", style: { width: "data(width)", "curve-style": "straight", opacity: 0.8 } },
      { selector: "edge.many", style: { opacity: 0.3 } },
      { selector: "edge.many.added, edge.many.dropped", style: { opacity: 0.6 } },
      { selector: "edge.many.near", style: { opacity: 0.9 } },
      ...lines,
      { selector: "edge.read", style: { opacity: 1, width: 6, "z-index": 9 } },
      { selector: "node.read", style: { ...name, "border-width": 3, "border-opacity": 1, "border-color": c.accent } },
    ]);
    if (this.view) this.colour(this.view.mode);
  }

  onKey(event) {
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) this.step(moves[event.key]);
    else if (event.key === "Enter" && this.at >= 0) this.onChoose(this.farEnd(this.order[this.at]), true);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  farEnd(e) {
    return this.model.low[e] === this.view.centre ? this.model.high[e] : this.model.low[e];
  }

  step(by) {
    if (!this.order.length) return;
    this.at = (Math.max(this.at, by > 0 ? -1 : 0) + by + this.order.length) % this.order.length;
    this.readEdge(this.order[this.at], true);
  }

  // Shows an edge of the picture as if it were pointed at; aloud: says it too.
  readEdge(e, aloud) {
    const edge = this.cy.getElementById(`e${e}`);
    if (edge.nonempty()) this.read(edge);
    if (aloud) this.onRead(this.describeEdge(e).replace("\n", ": "));
  }

  read(element) {
    this.unread();
    element.addClass("read");
    if (element.isEdge()) element.connectedNodes().addClass("read");
    const text = element.isEdge()
      ? this.describeEdge(Number(element.id().slice(1)))
      : this.describeNode(Number(element.id()));
    const place = element.isEdge() ? element.renderedMidpoint() : element.renderedPosition();
    this.tip.textContent = text;
    this.tip.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = Math.min(Math.max(4, place.x + 14), this.box.clientWidth - width - 4);
    const top = place.y + 18 + height > this.box.clientHeight ? place.y - height - 14 : place.y + 18;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${Math.max(4, top)}px`;
  }

  unread() {
    this.tip.hidden = true;
    this.cy.elements(".read").removeClass("read");
  }

  describeEdge(e) {
    const { model } = this;
    const ends = `${model.name(model.low[e])} – ${model.name(model.high[e])}`;
    return `${ends}\n${edgeInWords(model, e, this.view.least)}`;
  }

  describeNode(i) {
    const { model } = this;
    const shares = model.nodes.fusion.map((_, k) => `${model.views[k]} ${percent(model.fusion(i, k), 0)}`);
    const fusion = shares.length ? `\nfusion: ${shares.join(", ")}` : "";
    return `${model.name(i)}\nlabel: ${model.label(i)} (${model.part(i)})\n`
      + `prediction: ${model.prediction(i)}, ${percent(model.confidence(i))}${fusion}`;
  }
}

// "kept, weight 0.035, 1 before", as a tip and a screen reader say it.
function edgeInWords(model, e, least) {
  const [weight, before] = [model.learnedWeight(e), model.givenWeight(e)];
  if (!model.isLearned) return `given, weight ${short(before)}`;
  const kind = model.kindOf(e, least);
  if (kind === "added") return `added, weight ${short(weight)}`;
  const now = weight === null ? "no weight now" : `weight ${short(weight)}`;
  const weak = kind === "dropped" && weight !== null ? ", below the least weight" : "";
  return `${kind}, ${now}${weak}; ${short(before)} before`;
}
