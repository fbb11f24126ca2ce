"use strict";
// Everything works without this: it sends large files in parts that can be resumed, fills the page of a running session
// as its runs arrive, and copies commands.

const API = "/api/v1/uploads";

async function ask(method, path, body, headers = {}) {
  const answer = await fetch(API + path, { method, body, headers });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
}

async function digest(file) {
  const bytes = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, "0")).join("");
}

const JSON_BODY = { "content-type": "application/json" };

function described(file, target, sha256) {
  return JSON.stringify({ name: file.name.slice(0, 200), size_bytes: file.size, sha256, target });
}

async function send(file, target, largest, progress) {
  // Larger ones are refused before all of one is read for its digest; the server says why.
  if (file.size > largest) return ask("POST", "", described(file, target, "0".repeat(64)), JSON_BODY);
  let state = await ask("POST", "", described(file, target, await digest(file)), JSON_BODY);
  if (state.known) return { message: "taken in before; nothing was sent", sessions: [], says: [] };
  while (state.offset < file.size) {
    const part = file.slice(state.offset, state.offset + state.chunk_bytes);
    state = await ask("PATCH", "/" + state.id, part, { "upload-offset": String(state.offset) });
    progress(state.offset / file.size);
  }
  return ask("POST", "/" + state.id + "/finish");
}

function tell(place, outcome) {
  place.textContent = "Taken in: " + outcome.message + ".";
  for (const address of outcome.sessions.slice(0, 20)) {
    const link = document.createElement("a");
    link.href = new URL(address).pathname;
    link.textContent = "Session " + address.slice(-8);
    place.append(" ", link);
  }
  for (const sentence of outcome.says) {
    const note = document.createElement("span");
    note.className = "note says";
    note.textContent = sentence;
    place.append(" ", note);
  }
}

const form = document.getElementById("upload");
// A page without encryption from another machine has no SHA-256; the plain form does the same in one go.
if (form && window.crypto && crypto.subtle) {
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const [bar, told, button] = [form.querySelector("progress"), form.querySelector("#told"), form.querySelector("button")];
    bar.hidden = told.hidden = false;
    button.disabled = true;
    told.className = "";
    told.textContent = "Sending…";
    try {
      tell(told, await send(form.file.files[0], form.target.value, Number(form.dataset.largest), share => {
        bar.value = share;
        if (share === 1) told.textContent = "Checking…";
      }));
    } catch (error) {
      told.className = "warning l-invalid";
      told.textContent = "Not kept: " + error.message;
    }
    bar.hidden = true;
    button.disabled = false;
  });
}

// Where a form only chooses what is shown, choosing is enough.
for (const choice of document.querySelectorAll("form[data-at-once] select")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

// A running session: the server sends its progress as HTML that it escaped. Nobody watches in a tab that is hidden, as
// a browser has few connections to a server.
const live = document.getElementById("live");
if (live && window.EventSource) {
  let source = null;
  const watch = () => {
    if (document.hidden || source) return;
    source = new EventSource(live.dataset.events);
    source.addEventListener("progress", event => { live.innerHTML = JSON.parse(event.data); });
    source.addEventListener("ended", event => {
      source.close();
      if (JSON.parse(event.data) !== "unknown") location.reload();
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) {
      source.close();
      source = null;
    }
    watch();
  });
  watch();
  for (const each of document.querySelectorAll("[data-unscripted]")) each.remove();
}

// Copying needs an encrypted page or this machine; elsewhere the text is chosen, so that one key copies it.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    const told = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(text.textContent);
      told.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(text);
      told.textContent = "chosen: press Ctrl-C";
    }
  });
}
