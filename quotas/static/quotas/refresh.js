// Keeps a usage page fresh: reads its address again while the page is seen, and brings the parts
// marked data-refresh up to date in place. Whatever has not changed stays the same element, so that
// focus, open details, selections and scroll positions stay, and screen readers hear of a summary
// (role="status") only when it says something else. Every word is in the page, in its language.
"use strict";

(() => {
  const EVERY = 10;
  const AFTER_ERROR = 60;
  const LONGEST = 10; // seconds that a reading may take

  const button = document.querySelector("button[data-pause]");
  const trouble = document.querySelector("[data-failed]");
  let paused = false;
  let ended = false;
  let reading = false;
  let dueAt = 0;
  let timer = 0;

  function keyOf(node) {
    return `${node.namespaceURI} ${node.nodeName} ${node.id ?? ""}`;
  }

  function copyAttributes(old, fresh) {
    for (const { name } of [...old.attributes]) {
      // Whether details are open is up to the reader.
      if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value && name !== "open") old.setAttribute(name, value);
    }
  }

  // Make `old` look like `fresh`, touching only what differs.
  function update(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = fresh.nodeValue;
      return;
    }
    copyAttributes(old, fresh);
    updateChildren(old, [...fresh.childNodes]);
  }

  function updateChildren(parent, children) {
    let old = parent.firstChild;
    children.forEach((fresh, index) => {
      const later = children.slice(index + 1);
      const moved = old && !old.isEqualNode(fresh) && later.some((each) => each.isEqualNode(old));
      if (old && !moved && keyOf(old) === keyOf(fresh)) {
        const next = old.nextSibling;
        update(old, fresh);
        old = next;
      } else {
        parent.insertBefore(document.importNode(fresh, true), old);
      }
    });
    while (old) {
      const next = old.nextSibling;
      old.remove();
      old = next;
    }
  }

  function show(page) {
    const parts = [...page.querySelectorAll("[data-refresh]")];
    if (!parts.length) throw new Error("not the page that was asked for");
    for (const fresh of parts) {
      const old = document.querySelector(`[data-refresh="${fresh.dataset.refresh}"]`);
      if (old) update(old, fresh);
    }
  }

  function say(text) {
    if (!trouble) return;
    trouble.textContent = text;
    trouble.hidden = !text;
  }

  // The time in a zone; in the reader's own when the browser is older than the zone's name.
  function clock(timeZone) {
    const { lang } = document.documentElement;
    const options = { hour: "2-digit", minute: "2-digit" };
    try {
      return new Date().toLocaleTimeString(lang, { ...options, timeZone });
    } catch {
      return new Date().toLocaleTimeString(lang, { ...options, timeZoneName: "short" });
    }
  }

  function failed() {
    say(trouble?.dataset.failed.replace("[time]", clock(trouble.dataset.zone)));
  }

  // The page is gone, or no longer for this reader: a redirect leads to the login.
  function end() {
    ended = true;
    if (button) button.hidden = true;
    say(trouble?.dataset.ended);
  }

  async function read() {
    const response = await fetch(location.href, {
      cache: "no-store",
      redirect: "manual",
      signal: AbortSignal.timeout(LONGEST * 1000),
    });
    const text = await response.text();
    if (response.type === "opaqueredirect" || [403, 404].includes(response.status)) return end();
    if (!response.ok) throw new Error(`answered ${response.status}`);
    const page = new DOMParser().parseFromString(text, "text/html");
    if (paused) return; // asked for while we read
    show(page);
    say("");
  }

  function wait(seconds) {
    dueAt = Date.now() + seconds * 1000;
    takeUp();
  }

  function takeUp() {
    clearTimeout(timer);
    if (paused || ended || reading || document.visibilityState !== "visible") return;
    timer = setTimeout(turn, Math.max(0, dueAt - Date.now()));
  }

  async function turn() {
    reading = true;
    let next = EVERY;
    try {
      await read();
    } catch {
      failed();
      next = AFTER_ERROR;
    }
    reading = false;
    wait(next);
  }

  if (button) {
    const name = () => { button.textContent = paused ? button.dataset.resume : button.dataset.pause; };
    button.addEventListener("click", () => {
      paused = !paused;
      name();
      wait(0);
    });
    name();
    button.hidden = false;
  }
  document.addEventListener("visibilitychange", takeUp);
  wait(EVERY);
})();
