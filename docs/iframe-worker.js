// Chromium starts no worker from a file. Where the site is read from a folder, its search works in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      // both sides get copies, as those of a worker are
      inside.postMessage = (data) => this.onmessage?.(new MessageEvent("message", { data: structuredClone(data) }));
      const script = inside.document.createElement("script");
      script.src = new URL(url, document.baseURI).href;
      this.begun = new Promise((done) => script.addEventListener("load", () => done(inside)));
      script.addEventListener("error", (event) => this.onerror?.(event));
      inside.document.head.append(script);
    }

    postMessage(data) {
      this.begun.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data: inside.structuredClone(data) })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
