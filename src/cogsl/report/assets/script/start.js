// Brings the page to life; if that fails, says so.

async function start() {
  const data = JSON.parse(byId("data").textContent);
  if (data.name) {
    byId("title").textContent = data.name;
    document.title = `${data.name} – cogsl report`;
  }
  const run = [data.method, data.seed === null ? "" : `seed ${data.seed}`].filter(Boolean).join(", ");
  if (run) byId("kicker").append(`: ${run}`);
  byId("words").textContent = data.words;
  byId("made-by").textContent = `Made by ${data.made_by}.`;
  showCurves(byId("curves"), data.curves, data.best_iteration);
  showConfusion(data.confusion, data.classes);
  showRecord(data.record);
  const [nodes, edges] = await Promise.all([unpackAll(data.nodes), unpackAll(data.edges)]);
  const model = new Model(data, nodes, edges);
  showChanges(data, model);
  const explorer = new Explorer(model);
  showUncertain(data.uncertain, model, explorer);
  startTheme(() => explorer.picture.restyle());
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  const failure = byId("failure");
  failure.textContent = `The graph cannot be shown: ${error.message}. A browser of 2024 or newer is needed.`;
  failure.hidden = false;
  throw error;
});
