// Searching a node by its name: a text field with suggestions (the combobox pattern of ARIA).

const MOST_SUGGESTED = 12;

class Search {
  constructor(model, onChoose) {
    Object.assign(this, { model, onChoose, found: [], at: -1 });
    this.field = byId("search");
    this.list = byId("suggestions");
    this.field.addEventListener("input", () => this.suggest());
    this.field.addEventListener("keydown", (event) => this.onKey(event));
    this.field.addEventListener("focus", () => this.field.select());
    this.field.addEventListener("blur", () => this.close());
  }

  set(node) { this.field.value = this.model.name(node); }

  // Names that begin with the text before those that hold it; how many there are in all.
  match(text) {
    this.lowered ??= Array.from({ length: this.model.n }, (_, i) => this.model.name(i).toLowerCase());
    const wanted = text.trim().toLowerCase();
    const groups = [[], [], []];
    let all = 0;
    for (let i = 0; wanted && i < this.model.n; i++) {
      const at = this.lowered[i].indexOf(wanted);
      if (at < 0) continue;
      all++;
      const group = groups[at > 0 ? 2 : this.lowered[i] === wanted ? 0 : 1];
      if (group.length < MOST_SUGGESTED) group.push(i);
    }
    return { nodes: groups.flat().slice(0, MOST_SUGGESTED), all };
  }

  suggest() {
    const { nodes, all } = this.match(this.field.value);
    this.found = nodes;
    const options = nodes.map((i, k) => el("li", {
      id: `suggestion-${k}`, role: "option", "aria-selected": "false",
      mousedown: (event) => { event.preventDefault(); this.choose(i); },
    }, this.model.name(i)));
    const rest = all - nodes.length;
    if (rest > 0) options.push(el("li", { class: "small", role: "presentation" }, `and ${count(rest)} more`));
    if (!all && this.field.value.trim()) {
      options.push(el("li", { class: "small", role: "presentation" }, "No node has such a name."));
    }
    this.list.replaceChildren(...options);
    this.list.hidden = !options.length;
    this.field.setAttribute("aria-expanded", String(nodes.length > 0));
    this.mark(nodes.length ? 0 : -1);
  }

  mark(at) {
    this.at = at;
    [...this.list.querySelectorAll("[role=option]")].forEach((option, k) => {
      option.setAttribute("aria-selected", String(k === at));
      if (k === at) option.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) this.field.setAttribute("aria-activedescendant", `suggestion-${at}`);
    else this.field.removeAttribute("aria-activedescendant");
  }

  onKey(event) {
    const n = this.found.length;
    if (event.key === "ArrowDown" && n) this.mark((this.at + 1) % n);
    else if (event.key === "ArrowUp" && n) this.mark((this.at - 1 + n) % n);
    else if (event.key === "Enter") {
      if (this.at >= 0 && !this.list.hidden) this.choose(this.found[this.at]);
    } else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }

  choose(node) {
    this.close();
    this.set(node);
    this.onChoose(node);
  }

  close() {
    this.list.hidden = true;
    this.found = [];
    this.field.setAttribute("aria-expanded", "false");
    this.mark(-1);
  }
}
