// The part of the graph that is shown: the nodes around one, and the edges among them.

const MOST_DRAWN = 1500;

// view: { centre, hops, most, kinds (a Set), least }
function neighbourhood(model, view) {
  const passes = (e) => view.kinds.has(model.kindOf(e, view.least));
  const strength = (e) => model.learned[e] + model.given[e] / 1e6;
  const hop = new Map([[view.centre, 0]]);
  const seen = new Uint8Array(model.n);
  seen[view.centre] = 1;
  let [ring, reachable] = [[view.centre], 1];
  for (let distance = 1; distance <= view.hops; distance++) {
    const found = new Map();
    for (const i of ring) {
      for (const e of model.edgesOf(i)) {
        const j = model.otherEnd(e, i);
        if (seen[j] || !passes(e)) continue;
        found.set(j, Math.max(found.get(j) ?? 0, strength(e)));
      }
    }
    ring = [...found.keys()].sort((a, b) => found.get(b) - found.get(a) || a - b);
    for (const j of ring) {
      seen[j] = 1;
      if (hop.size < view.most) hop.set(j, distance);
    }
    reachable += ring.length;
  }
  return { hop, reachable, ...edgesAmong(model, hop, view.centre, passes, strength) };
}

function edgesAmong(model, hop, centre, passes, strength) {
  const edges = [];
  for (const i of hop.keys()) {
    for (const e of model.edgesOf(i)) {
      if (model.low[e] === i && hop.has(model.high[e]) && passes(e)) edges.push(e);
    }
  }
  const touches = (e) => model.low[e] === centre || model.high[e] === centre;
  edges.sort((a, b) => touches(b) - touches(a) || strength(b) - strength(a) || a - b);
  return { edges: edges.slice(0, MOST_DRAWN), nEdges: edges.length };
}
