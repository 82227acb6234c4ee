// The playground: a program, its report, examples, and links to programs.

import { fragmentOf, programOf } from "../permalink.js";
import { programAsHtml, reportAsHtml } from "./colours.js";

const here = (name) => new URL(name, import.meta.url);
const of = (name) => document.getElementById(`playground-${name}`);
const [program, colours, numbers, report, status] = ["program", "colours", "numbers", "report", "status"].map(of);
const [example, check, link, checks] = ["example", "check", "link", "checks"].map(of);

const opened = performance.now();
const shown = { id: 0, name: "playground.relay", marks: new Map() };
let worker = null;
let waiting = null;

// ----------------------------------------------------------------------------------------------------------- editing
function paint() {
  const lines = program.value.split("\n").length;
  colours.innerHTML = programAsHtml(program.value) + "\n";
  const rows = Array.from({ length: lines }, (_, at) => {
    const severity = shown.marks.get(at + 1);
    const mark = severity ? (severity === "error" ? "✗" : "!") : " ";
    return `<span${severity ? ` class="report-${severity}"` : ""}>${mark}${String(at + 1).padStart(3)}</span>`;
  });
  numbers.innerHTML = rows.join("\n");
  program.rows = Math.min(Math.max(lines, 8), 28);
}

function follow() {
  colours.scrollLeft = program.scrollLeft;
  colours.scrollTop = numbers.scrollTop = program.scrollTop;
}

function edited() {
  shown.marks.clear();
  paint();
}

// ---------------------------------------------------------------------------------------------------------- checking
function start() {
  worker = new Worker(here("worker.js"), { type: "module" });
  worker.onmessage = ({ data }) => (data.failed ? failed(data.failed) : data.ready ? null : answered(data));
  worker.onerror = (event) => failed(event.message || "its files are not part of this site");
}

function request() {
  waiting = { id: ++shown.id, since: performance.now() };
  worker ?? start();
  worker.postMessage({ id: waiting.id, text: program.value, name: shown.name, checks: checks.checked });
  check.textContent = "Stop";
  status.textContent = shown.checked ? "Checking…" : "Loading Python and the checker, once…";
  fragmentOf(program.value).then((fragment) => history.replaceState(null, "", fragment));
}

function answered({ id, report: text, marks, seconds }) {
  if (id !== waiting?.id) return;
  const first = shown.checked ? "" : ` The first answer came after ${inSeconds((performance.now() - opened) / 1000)}.`;
  rest(`Checked in ${inSeconds(seconds)}.${first}`);
  shown.checked = true;
  shown.marks = new Map(marks.reverse());
  report.innerHTML = reportAsHtml(text);
  paint();
}

function failed(reason) {
  stop();
  rest("The checker could not run.");
  report.textContent = reason;
}

function stop() {
  worker?.terminate();
  worker = null;
  shown.checked = false;
}

function rest(text) {
  waiting = null;
  check.textContent = "Check";
  status.textContent = text;
}

function inSeconds(seconds) {
  return seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : `${seconds.toFixed(1)} s`;
}

// ------------------------------------------------------------------------------------------------- examples and links
async function show(text, name) {
  program.value = text;
  program.scrollTop = 0;
  shown.name = name;
  edited();
  request();
}

async function fromLink() {
  try {
    const text = await programOf(location.hash);
    if (text === null || text === program.value) return text !== null;
    example.value = "";
    await show(text, "playground.relay");
    return true;
  } catch {
    status.textContent = "The program in this link is damaged.";
    return false;
  }
}

async function copyLink() {
  history.replaceState(null, "", await fragmentOf(program.value));
  try {
    await navigator.clipboard.writeText(location.href);
    status.textContent = "The link to this program is copied.";
  } catch {
    status.textContent = "The address of this page is the link to this program.";
  }
}

program.addEventListener("input", edited);
program.addEventListener("scroll", follow);
check.addEventListener("click", () => (waiting ? (stop(), rest("Stopped.")) : request()));
checks.addEventListener("change", request);
link.addEventListener("click", copyLink);
addEventListener("hashchange", fromLink);
document.getElementById("playground-app").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    request();
  }
});

start();
const examples = await (await fetch(here("examples.json"))).json();
example.append(new Option("your own program", ""), ...examples.map(({ name, shows }) => new Option(`${name}: ${shows}`, name)));
example.addEventListener("change", () => {
  const chosen = examples.find(({ name }) => name === example.value);
  if (chosen) show(chosen.text, chosen.name);
});
if (!(await fromLink())) {
  example.value = examples[0].name;
  await show(examples[0].text, examples[0].name);
}
