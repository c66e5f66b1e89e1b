// The chosen node in words, its neighbours before and after as a table, and the whole picture as one.

const MOST_ROWS = 200;

class Neighbours {
  constructor(model, explorer) {
    Object.assign(this, { model, explorer });
    this.place = byId("node");
  }

  show(view, found) {
    const { model } = this;
    const i = view.centre;
    const rows = [...model.edgesOf(i)]
      .map((e) => ({ e, kind: model.kindOf(e, view.least) }))
      .filter(({ kind }) => view.kinds.has(kind));
    const strength = ({ e }) => model.learned[e] + model.given[e] / 1e6;
    rows.sort((a, b) => strength(b) - strength(a) || a.e - b.e);
    const shown = rows.slice(0, MOST_ROWS);
    const parts = [el("h3", {}, `Node ${model.name(i)}`), this.facts(i, view)];
    if (!rows.length) parts.push(el("p", {}, "It has no neighbours by the edges that are chosen above."));
    else parts.push(el("div", { class: "scroll long", tabindex: "0", role: "region", "aria-label": "Neighbours" },
      this.table(i, shown, rows.length)));
    this.place.replaceChildren(...parts, this.pictureTable(found, view));
  }

  // Made when it is opened, and open as long as its reader wants.
  pictureTable(found, view) {
    const { model } = this;
    const details = el("details", { open: this.isOpen }, el("summary", {}, `All ${plural(found.edges.length, "edge")} of the picture as a table`));
    const fillTable = () => {
      this.isOpen = details.open;
      if (!details.open || details.childElementCount > 1) return;
      const rows = found.edges.map((e) => [
        model.name(model.low[e]), model.name(model.high[e]),
        model.isLearned ? model.kindOf(e, view.least) : "given",
        short(model.givenWeight(e)), ...(model.isLearned ? [short(model.learnedWeight(e))] : []),
      ]);
      const weights = model.isLearned ? ["Weight before", "Weight after"] : ["Weight"];
      details.append(el("div", { class: "scroll long", tabindex: "0", role: "region", "aria-label": "Edges of the picture" },
        table({ heads: ["One end", "Other end", "Edge", ...weights], rows, numbers: [, , , true, true] })));
    };
    details.addEventListener("toggle", fillTable);
    fillTable();
    return details;
  }

  facts(i, view) {
    const { model } = this;
    const { before, after } = model.degrees(i, view.least);
    const facts = [
      ["label", `${model.label(i)} (${model.part(i)})`],
      ["prediction", `${model.prediction(i)}, ${percent(model.confidence(i))}`],
      ...model.nodes.fusion.map((_, k) => [`from ${model.views[k]}`, percent(model.fusion(i, k))]),
      ["neighbours", model.isLearned ? `${count(before)} before, ${count(after)} after` : count(before)],
    ];
    const items = facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
    return el("dl", {}, ...items);
  }

  table(i, rows, all) {
    const { model } = this;
    const some = all > rows.length ? `The strongest ${count(rows.length)} of ${plural(all, "neighbour")}` : `${plural(all, "neighbour")}, the strongest first`;
    const heads = ["Neighbour", ...(model.isLearned ? ["Edge", "Weight before", "Weight after"] : ["Weight"]), "Label", "Prediction", "Confidence"];
    const cells = rows.map(({ e, kind }) => {
      const j = model.otherEnd(e, i);
      const weights = model.isLearned
        ? [el("span", {}, lineSample(kind), kind), short(model.givenWeight(e)), short(model.learnedWeight(e))]
        : [short(model.givenWeight(e))];
      return [this.button(e, j), ...weights, model.label(j), model.prediction(j), percent(model.confidence(j))];
    });
    return table({
      caption: `${some}; each name leads to that node.`,
      heads, rows: cells,
      numbers: model.isLearned ? [, , true, true, , , true] : [, true, , , true],
    });
  }

  // Pointing at the name, or coming to it by keyboard, shows the edge in the picture.
  button(e, j) {
    const { picture } = this.explorer;
    const show = () => picture.readEdge(e, false);
    const hide = () => picture.unread();
    return el("button", {
      type: "button", class: "link", focus: show, blur: hide, mouseenter: show, mouseleave: hide,
      "aria-description": edgeInWords(this.model, e, this.explorer.view.least),
      click: () => {
        this.explorer.choose(j);
        byId("picture").focus();
      },
    }, this.model.name(j));
  }
}
