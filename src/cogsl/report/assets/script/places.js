// Where nodes are drawn: the chosen one in the middle, its neighbours on rings around it, like
// classes together. Heights are even, so that names beside the nodes do not overlap.

function placesOf(model, found, centre, isNamed) {
  const places = new Map([[centre, { x: 0, y: 0 }]]);
  const gap = isNamed ? 20 : 8;
  let [wide, high] = [60, 10];
  for (const distance of [1, 2]) {
    const ring = [...found.hop.keys()].filter((i) => found.hop.get(i) === distance);
    if (!ring.length) break;
    const sides = distance === 1 ? byClass(model, ring) : byDirection(model, found, places, ring);
    const most = Math.max(...sides.map((side) => side.length));
    high = Math.max(high + 90, (most * gap) / 2);
    // A little lower than the middle, lest edges between opposite neighbours pass under it.
    if (distance === 1) places.set(centre, { x: 0, y: high / (2 * most) });
    wide = Math.max(wide + (isNamed && distance === 2 ? 190 : 110), 1.25 * high);
    const tilt = distance === 1 ? 0 : 0.3; // lest nodes of both rings stand in one line
    sides.forEach((side, k) => placeSide(side, k === 0 ? wide : -wide, high, tilt, isNamed, places));
  }
  return places;
}

// From the top to the bottom of one side; crowds stand three deep.
function placeSide(side, wide, high, tilt, isNamed, places) {
  side.forEach((i, k) => {
    const y = high * ((2 * k + 1 + tilt) / side.length - 1);
    const depth = isNamed ? 0 : 26 * (k % 3);
    places.set(i, { x: wide * Math.sqrt(1 - (y / high) ** 2) + Math.sign(wide) * depth, y });
  });
}

// The right and the left side of the first ring: clockwise from the top, class after class.
function byClass(model, ring) {
  const { predictions } = model.nodes;
  ring.sort((a, b) => predictions[a] - predictions[b] || a - b);
  const half = Math.ceil(ring.length / 2);
  return [ring.slice(0, half), ring.slice(half).reverse()];
}

// The right and the left side of the second ring: each node on that of its neighbours.
function byDirection(model, found, places, ring) {
  const turn = directions(model, found, places);
  const turns = new Map(ring.map((i) => [i, turn(i)]));
  ring.sort((a, b) => turns.get(a) - turns.get(b) || a - b);
  const isRight = (i) => turns.get(i) < Math.PI;
  return [ring.filter(isRight), ring.filter((i) => !isRight(i)).reverse()];
}

// The mean direction in which a node of the second ring has neighbours in the first, from the top.
function directions(model, found, places) {
  const sums = new Map();
  for (const e of found.edges) {
    for (const [i, j] of [[model.low[e], model.high[e]], [model.high[e], model.low[e]]]) {
      if (found.hop.get(i) !== 2 || found.hop.get(j) !== 1) continue;
      const { x, y } = places.get(j);
      const [dx, dy] = sums.get(i) ?? [0, 0];
      sums.set(i, [dx + x, dy + y]);
    }
  }
  return (i) => {
    const [x, y] = sums.get(i) ?? [0, 0];
    const turn = Math.atan2(x, -y);
    return turn < 0 ? turn + 2 * Math.PI : turn;
  };
}
