// A run that goes on, and the beginning of it all.

const known = document.body.dataset.version;
async function askForNewer() {
  try {
    const newest = await (await fetch("version", { cache: "no-store" })).text();
    const busy = browser.row !== undefined || document.activeElement?.closest("form, details");
    if (newest && newest !== known && !busy) location.reload();
    document.getElementById("newer").hidden = newest === known;
    document.querySelector("#newer span").textContent = "The run has moved on.";
  } catch {
    document.getElementById("newer").hidden = false;
    document.querySelector("#newer span").textContent = "The run is no longer served.";
  }
}
if (known) {
  setInterval(askForNewer, 3000);
  document.querySelector("#newer button").addEventListener("click", () => location.reload());
}

beginBrowser().then(drawOthers);
