"use strict";
const by = (id) => document.getElementById(id);
const none = "–";

// As `starmin.page.parts.number` writes it.
function number(value) {
  if (value === null || value === undefined) return none;
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (value > 0 && value < 0.0001) return "< 0.01 %";
  return (100 * value).toFixed(2).replace(/\.00$/, "") + " %";
}
function share(value) {
  if (value === null || value === undefined) return none;
  if (value > 0 && value < 0.0001) return "< 0.01 %";
  return (100 * value).toFixed(2).replace(/\.00$/, "") + " %";
}

// Parts for which a command has to run.
async function load(part) {
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(part.dataset.part);
    const text = await answer.text();
    const hold = part.tagName === "DETAILS" ? part.querySelector("summary").outerHTML : "";
    part.innerHTML = hold + text;
  } catch {
    part.append("It cannot be shown now: load the page again.");
  }
  part.setAttribute("aria-busy", "false");
  watchFilters();
}
for (const part of document.querySelectorAll("div[data-part]")) load(part);
for (const part of document.querySelectorAll("details[data-part]")) {
  part.addEventListener("toggle", () => {
    if (part.open && !part.dataset.asked) {
      part.dataset.asked = "yes";
      load(part);
    }
  });
}

// The number of people who stand alone, by a form that is not saved yet.
const live = by("live");
let asked = 0;
let waiting = null;
async function count() {
  const now = ++asked;
  const form = new FormData(live);
  for (const [name, value] of [...form]) if (value instanceof File) form.delete(name);
  const answer = await fetch("/alone", { method: "POST", body: form });
  if (now !== asked || !answer.ok) return; // a later choice is on its way
  tell(await answer.json());
}
function tell(told) {
  const error = by("live-error");
  if (error) {
    error.hidden = !told.error;
    error.textContent = told.error || "";
  }
  if (told.error) return;
  const within = told.within ? ` ± ${number(told.within)}` : "";
  by("alone-now").textContent = number(told.alone) + within;
  by("alone-before").textContent = number(told.before);
  for (const cell of document.querySelectorAll("[data-otherwise]"))
    cell.textContent = number(told.otherwise[cell.dataset.otherwise]);
}
if (document.querySelector("aside[data-waits]"))
  fetch("/now").then((answer) => answer.json()).then((told) => asked || tell(told));
if (live) {
  const soon = (event) => {
    if (/^(select|set_role|value_|name_|note_)/.test(event.target.name || "")) return;
    clearTimeout(waiting);
    waiting = setTimeout(count, event.type === "input" ? 250 : 0);
  };
  live.addEventListener("change", soon);
  live.addEventListener("input", soon);
}

// A search, as it goes on.
const search = by("search");
function draw(points) {
  const curve = by("curve");
  curve.replaceChildren();
  const times = points.map((p) => p.seconds);
  const known = points.flatMap((p) => [p.value, p.bound]).filter((v) => v !== null && v !== undefined);
  if (!known.length) return;
  const last = Math.max(...times, 0.001);
  const low = Math.min(...known), high = Math.max(...known);
  const x = (s) => 8 + (464 * s) / last;
  const y = (v) => 130 - (120 * (v - low)) / (high - low || 1);
  for (const [key, name] of [["value", "value-line"], ["bound", "bound-line"]]) {
    const steps = [];
    let before = null;
    for (const p of points) {
      if (p[key] === null || p[key] === undefined) continue;
      if (before !== null) steps.push(`${x(p.seconds)},${y(before)}`);
      steps.push(`${x(p.seconds)},${y(p[key])}`);
      before = p[key];
    }
    if (before !== null) steps.push(`${x(last)},${y(before)}`);
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("points", steps.join(" "));
    line.setAttribute("class", name);
    curve.append(line);
  }
}
function show(told) {
  const points = told.points;
  if (points.length) {
    const now = points[points.length - 1];
    by("value").textContent = number(now.value);
    by("bound").textContent = number(now.bound);
    by("gap").textContent = share(now.gap);
    by("seconds").textContent = now.seconds.toFixed(1);
    draw(points);
  }
  by("run").disabled = told.running;
  by("stop").disabled = !told.running;
}
if (search) {
  const source = new EventSource("/events"); // asks again: another tab may run one
  let running = search.dataset.busy === "yes";
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    show(told);
    if (told.running) {
      running = true;
      by("go_on").disabled = true;
      by("status").textContent = `It searches .. ${told.seconds} s`;
    } else if (running || told.runs !== Number(search.dataset.runs)) {
      source.close();
      location.reload();
    }
  };
}

// Rows of a table that have a word.
function watchFilters() {
  for (const field of document.querySelectorAll("[data-filter]")) {
    const rows = [...by(field.dataset.filter).tBodies[0].rows];
    const told = field.parentElement.querySelector("output");
    const look = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let seen = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        seen += !row.hidden;
      }
      told.textContent = `${seen} of ${rows.length}`;
    };
    field.addEventListener("input", look);
    look();
  }
}

// A file that is dropped is one that was chosen.
for (const place of document.querySelectorAll(".drop")) {
  const field = place.querySelector("input[type=file]");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    place.addEventListener(kind, (event) => {
      event.preventDefault();
      place.classList.toggle("over", kind === "dragover");
      if (kind === "drop") field.files = event.dataTransfer.files;
    });
  }
}
const step = by("step");
if (step && by("working")) {
  step.addEventListener("submit", () => {
    by("working").textContent = "The file is read ..";
  });
}

// Enter in a field presses the button beside it.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  const beside = event.target.closest(".row, tr, details");
  const button = beside && beside.querySelector("button");
  if (!button) return;
  event.preventDefault();
  button.click();
});

// The focus is on the heading of a new step, else where it was.
let keys = false;
document.addEventListener("keydown", () => { keys = true; }, true);
document.addEventListener("pointerdown", () => { keys = false; }, true);
addEventListener("pagehide", () => {
  const at = document.activeElement;
  const place = at.name ? [...document.getElementsByName(at.name)].indexOf(at) : -1;
  const was = { step: location.pathname, id: at.id, name: at.name, place, keys };
  sessionStorage.setItem("focus", JSON.stringify(was));
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // what is shown may be old
});
function focusOn(element, options) {
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus(options);
  return document.activeElement === element;
}
{
  const was = JSON.parse(sessionStorage.getItem("focus") || "{}");
  const options = { focusVisible: Boolean(was.keys) };
  const alarm = document.querySelector("main [role=alert]");
  let back = null;
  if (was.step === location.pathname)
    back = was.id ? by(was.id) : document.getElementsByName(was.name || "")[was.place];
  if (alarm) focusOn(alarm, options);
  else if (!back || back.disabled || !focusOn(back, options))
    focusOn(document.querySelector("h1"), options);
}
