// Says under each row of a plan what it promises, while it is edited. Asks the server for it with
// all that the page would send; nothing is saved. Words and plain fields fill one another, in the
// row that was edited last: where words were written they win, where a number was, the words go.
"use strict";

(() => {
  const PAUSE = 300; // milliseconds without a key before the server is asked
  const NUMBERS = ["algorithm", "amount", "period", "unit", "capacity"];

  let timer = 0;
  let turn = 0;

  function rowOf(input) {
    const found = /^(limits-\d+)-(\w+)$/.exec(input.name ?? "");
    return found ? { prefix: found[1], name: found[2] } : null;
  }

  function inputOf(form, prefix, name) {
    return form.elements.namedItem(`${prefix}-${name}`);
  }

  // What stands under a row: in the nearest element around its fields that has it. Admins differ in
  // how they mark rows.
  function promiseOf(form, prefix) {
    let around = inputOf(form, prefix, "scope");
    while (around && !around.querySelector("[data-promise]")) around = around.parentElement;
    return around?.querySelector("[data-promise]");
  }

  function replace(old, html) {
    const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
    if (!old || !fresh || old.isEqualNode(fresh)) return;
    // The element stays, so that screen readers hear what changes in it.
    old.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  }

  function fill(form, edited, fields) {
    const names = edited.name === "words" ? NUMBERS : ["words"];
    for (const name of names) {
      const input = inputOf(form, edited.prefix, name);
      if (input && name in fields && input !== document.activeElement) input.value = fields[name];
    }
  }

  function show(form, edited, told) {
    for (const [prefix, { html, fields }] of Object.entries(told.rows)) {
      replace(promiseOf(form, prefix), html);
      if (edited?.prefix === prefix) fill(form, edited, fields);
    }
    replace(document.getElementById("quotas-missing"), told.missing);
  }

  async function ask(form, address, edited) {
    const mine = ++turn;
    const body = new FormData(form);
    if (edited?.name === "words") body.set("_said", edited.prefix);
    try {
      const answer = await fetch(address, { method: "POST", body, redirect: "error" });
      if (!answer.ok) return;
      const told = await answer.json();
      if (mine === turn) show(form, edited, told);
    } catch {
      // Offline or logged out: the button and saving say so.
    }
  }

  function start() {
    const button = document.querySelector("input[data-preview]");
    const form = button?.form;
    if (!form) return;
    let last = null;
    const changed = (event) => {
      const row = rowOf(event.target);
      if (!row) return;
      if (row.name === "words" || NUMBERS.includes(row.name)) {
        last = row;
        const words = inputOf(form, row.prefix, "words");
        if (row.name !== "words" && words) words.value = "";
      } else if (last?.prefix !== row.prefix) {
        last = null;
      }
      turn += 1; // an answer to what stood here before is late
      clearTimeout(timer);
      timer = setTimeout(() => ask(form, button.dataset.preview, last), PAUSE);
    };
    form.addEventListener("input", changed);
    form.addEventListener("change", (event) => {
      if (event.target.matches("select, [type=checkbox]")) changed(event);
    });
    document.addEventListener("formset:removed", () => {
      last = null; // the rows behind it are numbered anew
      turn += 1;
      clearTimeout(timer);
      timer = setTimeout(() => ask(form, button.dataset.preview, null), PAUSE);
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
