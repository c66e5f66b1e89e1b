// Both graphs: the nodes, the edges of either with their weights, and which edges a node has.

const KINDS = ["kept", "added", "dropped"];
const PARTS = ["outside the split", "training", "validation", "test"];

class Model {
  constructor(data, nodes, edges) {
    Object.assign(this, { data, nodes, n: nodes.count, classes: data.classes, views: data.views });
    this.isLearned = data.is_learned;
    this.learned = edges.learned;
    this.given = edges.given;
    this.learnedSteps = edges.learned_steps;
    this.givenSteps = edges.given_steps;
    this.defaultLeast = Math.max(1, edges.least);
    this.rounding = edges.rounding;
    this.nEdges = edges.shown;
    this.nAllEdges = edges.all;
    this.nKnownEdges = edges.known;
    this.readEnds(edges.counts, edges.distances);
    this.indexNodes();
    this.countSteps();
  }

  readEnds(counts, distances) {
    this.low = new Uint32Array(this.nEdges);
    this.high = new Uint32Array(this.nEdges);
    for (let i = 0, e = 0; i < this.n; i++) {
      for (let k = 0, j = i; k < counts[i]; k++, e++) {
        j += distances[e];
        this.low[e] = i;
        this.high[e] = j;
      }
    }
  }

  // edgesOf(i) are incident[first[i]] to incident[first[i + 1] - 1].
  indexNodes() {
    this.first = new Uint32Array(this.n + 1);
    for (const ends of [this.low, this.high]) {
      for (let e = 0; e < this.nEdges; e++) this.first[ends[e] + 1]++;
    }
    for (let i = 0; i < this.n; i++) this.first[i + 1] += this.first[i];
    const place = this.first.slice(0, this.n);
    this.incident = new Uint32Array(2 * this.nEdges);
    for (let e = 0; e < this.nEdges; e++) {
      this.incident[place[this.low[e]]++] = e;
      this.incident[place[this.high[e]]++] = e;
    }
  }

  // For each least weight: how many edges stand, how many of them were given, and how many join
  // labelled nodes and equal ones.
  countSteps() {
    const length = this.learnedSteps.length + 2;
    this.tallies = Array.from({ length: 4 }, () => new Uint32Array(length));
    const { labels } = this.nodes;
    this.nGiven = 0;
    for (let e = 0; e < this.nEdges; e++) {
      if (this.given[e] > 0) this.nGiven++;
      const step = this.learned[e];
      if (step === 0) continue;
      const one = labels[this.low[e]];
      const other = labels[this.high[e]];
      this.tallies[0][step]++;
      if (this.given[e] > 0) this.tallies[1][step]++;
      if (one > 0 && other > 0) this.tallies[2][step]++;
      if (one > 0 && one === other) this.tallies[3][step]++;
    }
    for (const tally of this.tallies) {
      for (let step = length - 2; step >= 0; step--) tally[step] += tally[step + 1];
    }
  }

  figures(least) {
    const [standing, kept, known, alike] = this.tallies.map((tally) => tally[least]);
    const counts = { kept, added: standing - kept, dropped: this.nGiven - kept };
    return { standing, ...counts, homophily: known ? alike / known : NaN };
  }

  get nLearned() { return this.tallies[0][0]; }

  // The slider moves over the learned edges in the order of their weights.
  leastAt(position) {
    const below = Math.round((position / 1000) * (this.nLearned - 1));
    let [low, high] = [1, this.learnedSteps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.nLearned - this.tallies[0][middle + 1] > below) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  positionOf(least) {
    const below = this.nLearned - this.tallies[0][least];
    return this.nLearned > 1 ? Math.round((1000 * below) / (this.nLearned - 1)) : 0;
  }

  weightOfStep(least) {
    return least === this.defaultLeast ? this.data.least_weight : this.learnedSteps[least - 1];
  }
  learnedWeight(e) { return this.learned[e] > 0 ? this.learnedSteps[this.learned[e] - 1] : null; }
  givenWeight(e) { return this.given[e] > 0 ? this.givenSteps[this.given[e] - 1] : null; }

  // What an edge is at a least weight; null for a new one that is weaker.
  kindOf(e, least) {
    if (!this.isLearned) return "kept";
    const stands = this.learned[e] >= least;
    if (this.given[e] > 0) return stands ? "kept" : "dropped";
    return stands ? "added" : null;
  }

  edgesOf(i) { return this.incident.subarray(this.first[i], this.first[i + 1]); }
  otherEnd(e, i) { return this.low[e] === i ? this.high[e] : this.low[e]; }
  name(i) { return this.nodes.names[i] ?? `#${i}`; }
  className(k) { return k > 0 ? this.classes[k - 1] : "unknown"; }
  label(i) { return this.className(this.nodes.labels[i]); }
  prediction(i) { return this.className(this.nodes.predictions[i]); }
  confidence(i) { return this.nodes.confidence[i] / 1000; }
  fusion(i, view) { return this.nodes.fusion[view][i] / 1000; }
  part(i) { return PARTS[this.nodes.parts[i]]; }

  // How many neighbours a node has in either graph.
  degrees(i, least) {
    let [before, after] = [0, 0];
    for (const e of this.edgesOf(i)) {
      const kind = this.kindOf(e, least);
      if (kind === "kept" || kind === "dropped") before++;
      if (kind === "kept" || kind === "added") after++;
    }
    return { before, after: this.isLearned ? after : before };
  }
}
