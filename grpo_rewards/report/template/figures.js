// Figures are drawn when they come into view, and the others when nothing else is to be done.

const plots = [...document.querySelectorAll(".plot")];
let figuresOf = null;
let drawing = null;

function loadedDrawing() {
  drawing ??= unpacked("drawing").then(
    (source) =>
      new Promise((done, failed) => {
        const script = element("script", { src: URL.createObjectURL(new Blob([source], { type: "text/javascript" })) });
        script.onload = () => done(window.Plotly);
        script.onerror = () => failed(new Error("the plotting library did not load"));
        document.head.append(script);
      }),
  );
  figuresOf ??= unpackedJson("figures");
  return Promise.all([drawing, figuresOf]);
}

function coloured(isPrinted = false) {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => (isPrinted ? { "--ink": "#111", "--grid": "#ccc", "--paper": "#fff" }[name] : style.getPropertyValue(name).trim());
  const line = { gridcolor: of("--grid"), zerolinecolor: of("--grid"), linecolor: of("--grid") };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 12, color: of("--ink") },
    hoverlabel: { bgcolor: of("--paper"), bordercolor: of("--grid"), font: { color: of("--ink") } },
    xaxis: line,
    yaxis: line,
  };
}

function laidOut(layout) {
  const colours = coloured();
  const legend = { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", ...layout.legend };
  return {
    margin: { l: 48, r: 12, t: 8, b: 40 },
    height: 320,
    ...colours,
    ...layout,
    legend,
    xaxis: { ...colours.xaxis, ...layout.xaxis },
    yaxis: { ...colours.yaxis, ...layout.yaxis },
  };
}

async function draw(plot) {
  if (plot.dataset.drawn) return;
  plot.dataset.drawn = "begun";
  const [Plotly, figures] = await loadedDrawing();
  const { data, layout } = figures[plot.dataset.figure];
  const options = { responsive: true, displayModeBar: false };
  await Plotly.newPlot(plot, data, laidOut(layout), options);
  plot.dataset.drawn = "done";
}

const seen = new IntersectionObserver(
  (entries) => entries.filter((one) => one.isIntersecting).forEach((one) => draw(one.target)),
  { rootMargin: "200px" },
);
plots.forEach((plot) => seen.observe(plot));

/** Draws what was not looked at yet, so that all of it can be printed; what is folded in waits until it is unfolded. */
async function drawOthers() {
  for (const plot of plots) {
    if (plot.closest("details.more:not([open])")) continue;
    await new Promise((free) => (window.requestIdleCallback ?? setTimeout)(free));
    await draw(plot);
  }
  document.body.dataset.drawn = "all";
  performance.mark("drawn");
}

let wasPrinted = false;
function recolour(isPrinted = false) {
  if (!window.Plotly) return;
  const { xaxis, yaxis, ...others } = coloured(isPrinted);
  // a figure has the width of its place on the screen, and two stand side by side on paper
  const size = isPrinted ? { autosize: false, width: 325, height: 260 } : { autosize: true, width: null, height: 320 };
  const change = { ...others, ...(isPrinted !== wasPrinted ? size : {}) };
  wasPrinted = isPrinted;
  for (const [axis, its] of Object.entries({ xaxis, yaxis })) {
    for (const [name, value] of Object.entries(its)) change[`${axis}.${name}`] = value;
  }
  for (const plot of plots) if (plot.dataset.drawn === "done") window.Plotly.relayout(plot, change);
}

/** The numbers of a figure as a table, for those who do not see it. */
async function tabulate(details) {
  if (details.querySelector("table")) return;
  const [, figures] = await loadedDrawing();
  const { data, layout } = figures[details.parentElement.id];
  const rows = layout.xaxis?.title?.text || "at";
  const traces = data.filter((one) => one.hoverinfo !== "skip");
  const body = element("tbody");
  const heads = traces[0]?.z ? [rows, ...traces[0].x] : [rows, ...traces.map((one) => one.name)];
  if (traces[0]?.z) {
    traces[0].z.forEach((row, at) => body.append(numbersOf(String(at + 1), row)));
  } else {
    const places = traces.map((one) => new Map(one.x.map((x, at) => [x, one.y[at]])));
    const xs = [...new Set(traces.flatMap((one) => one.x))].sort((one, other) => one - other);
    for (const x of xs) body.append(numbersOf(typeof x === "number" ? figure(x) : x, places.map((its) => its.get(x))));
  }
  const head = element("thead", {}, element("tr", {}, ...heads.map((one) => element("th", { scope: "col" }, unescaped(one)))));
  const table = element("table", {}, head, body);
  details.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Numbers of ${details.parentElement.id}` }, table));
}

function numbersOf(name, values) {
  const cells = values.map((one) => element("td", {}, figure(one)));
  return element("tr", {}, element("th", { scope: "row" }, unescaped(name)), ...cells);
}

/** Names are escaped for plotly, which reads tags. */
function unescaped(text) {
  return String(text).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

document.querySelectorAll("details.numbers").forEach((one) => one.addEventListener("toggle", () => one.open && tabulate(one)));

const THEMES = ["auto", "light", "dark"];
const themeButton = document.getElementById("theme");
function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeButton.title = `Colours: ${theme}`;
  themeButton.setAttribute("aria-label", `Colours: ${theme}`);
  try {
    localStorage.setItem("grpo-rewards theme", theme);
  } catch {
    // a page from a file may have no storage
  }
  recolour();
}
function keptTheme() {
  try {
    return localStorage.getItem("grpo-rewards theme");
  } catch {
    return null;
  }
}
chooseTheme(THEMES.includes(keptTheme()) ? keptTheme() : "auto");
themeButton.addEventListener("click", () => {
  chooseTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => recolour());
addEventListener("beforeprint", () => recolour(true));
addEventListener("afterprint", () => recolour());
