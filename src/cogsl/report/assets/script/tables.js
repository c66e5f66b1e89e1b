// The parts of the page that are words and tables.

function showChanges(data, model) {
  const heads = ["", "Given"];
  if (model.isLearned) heads.push("Learned: strongest edges", "Learned: all pairs");
  byId("changes-table").append(table({
    caption: "Homophily: of the edges between nodes whose labels are known, the share that joins equal ones. "
      + "In brackets: the same of kept, added and dropped edges alone.",
    heads, rows: data.changes, numbers: heads.map((_, k) => k > 0),
  }));
  const notes = [];
  if (model.isLearned && model.nLearned > 0) {
    const weight = short(model.weightOfStep(model.defaultLeast));
    notes.push(`A learned graph weighs many more pairs than it needs, most of them weakly, so where it ends is a
      matter of choice. Here an edge stands if it weighs at least ${weight}: then as many stand as were given (more
      where weights tie, all if there are no more). Kept edges are in both graphs, added ones only in the learned, and dropped ones were
      given but are not in it or weigh less. The slider below moves that weight.`);
    if (data.weighed_by !== "learned weight") notes.push(`The weight of a learned edge on this page is its
      ${data.weighed_by}; its agreement is the chance, by the predictions, that both ends are of one class. Predictions
      follow the labels they were learned from, so homophily is flattered a little where those are counted.`);
    else notes.push(`Where a method divides weights by the nodes' sums, as CoGSL does, edges of nodes with many neighbours
      weigh less, and count as dropped sooner.`);
  }
  if (model.rounding > 0) notes.push(`Weights in the picture are rounded down by at most ${percent(model.rounding, 2)}.`);
  if (model.nEdges < model.nAllEdges) {
    const which = model.nEdges < model.nKnownEdges
      ? "the heaviest of the kept, added and dropped ones, the same share of each"
      : "all that were given or stand, and the heaviest of the others";
    notes.push(`To keep this file small, the graph below holds ${count(model.nEdges)} of ${count(model.nAllEdges)} pairs: ${which}.
      The table above counts all.`);
  }
  const { longest_name: longest } = data.nodes;
  if (longest === 0) notes.push("The nodes' names are too long for this file; nodes are shown by their numbers.");
  else if (longest) notes.push(`Names of nodes are cut after ${longest} characters.`);
  byId("changes-notes").append(...notes.map((text) => el("p", { class: "small" }, text.replace(/\s+/g, " "))));
}

function showConfusion({ part, nodes, right, matrix, mistakes, all_mistakes: all }, classes) {
  const place = byId("confusion-body");
  if (!nodes) {
    place.append(el("p", {}, "No test or validation node has a known label, so there is nothing to compare with."));
    return;
  }
  const also = part === "validation" ? " There are no test nodes; validation nodes also chose the iteration." : "";
  place.append(el("p", {}, `${count(right)} of ${plural(nodes, `${part} node`)} ${right === 1 ? "is" : "are"} right, ${percent(right / nodes)}.${also}`));
  const body = matrix ? confusionMatrix(part, matrix, classes) : mistakeTable(part, mistakes, all, classes);
  place.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" }, body));
}

function confusionMatrix(part, matrix, classes) {
  const heads = classes.map((name) => el("th", { scope: "col", class: "number" }, name));
  const rows = matrix.map((row, i) => {
    const sum = row.reduce((a, b) => a + b, 0);
    const cells = row.map((number, j) => {
      const cell = el("td", { class: i === j ? "number right" : "number" }, count(number));
      cell.style.setProperty("--share", sum ? number / sum : 0);
      return cell;
    });
    const share = el("td", { class: "number" }, sum ? percent(row[i] / sum) : "–");
    return el("tr", {}, el("th", { scope: "row" }, classes[i]), ...cells, share);
  });
  const body = el("table", { class: "matrix" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Label"), ...heads, el("th", { scope: "col", class: "number" }, "right"))),
    el("tbody", {}, ...rows));
  return captioned(`The ${part} nodes: a row a label, a column a prediction; the deeper the colour, the larger the share of the row.`, body);
}

function mistakeTable(part, mistakes, all, classes) {
  const more = all > mistakes.length ? `, the commonest ${mistakes.length} of ${count(all)} pairs` : "";
  return table({
    caption: `${classes.length} classes are too many for a matrix; these are the mistakes in the ${part} nodes${more}.`,
    heads: ["Label", "Prediction", "Nodes"], numbers: [, , true],
    rows: mistakes.map(([label, prediction, number]) => [classes[label], classes[prediction], count(number)]),
  });
}

function showUncertain(rows, model, explorer) {
  const place = byId("uncertain-body");
  if (!rows.length) {
    place.append(el("p", {}, "There are no nodes outside the training set."));
    return;
  }
  const cells = rows.map(([node, first, second, one, other]) => [
    el("button", {
      type: "button", class: "link",
      click: () => {
        explorer.choose(node);
        byId("graph").scrollIntoView();
        byId("picture").focus({ preventScroll: true });
      },
    }, model.name(node)),
    model.label(node), model.classes[first], percent(one), model.classes[second], percent(other),
    ...(({ before, after }) => [count(before), ...(model.isLearned ? [count(after)] : [])])(model.degrees(node, model.defaultLeast)),
  ]);
  const degrees = model.isLearned ? ["Neighbours before", "Neighbours after"] : ["Neighbours"];
  place.append(el("div", { class: "scroll" }, table({
    caption: "Of the nodes outside the training set, those whose most probable class is least probable. A click shows one in the graph.",
    heads: ["Node", "Label", "Prediction", "Confidence", "Runner-up", "Its confidence", ...degrees], rows: cells,
    numbers: [, , , true, , true, true, true],
  })));
}

function showRecord(tables) {
  byId("record-body").append(...tables.map(({ title, rows }) =>
    el("div", { class: rows.length < 20 ? "short" : false }, el("h3", {}, title), table({
      heads: ["Name", "Value"], rows: rows.map(([name, value]) => [name, value]),
    }))));
}
