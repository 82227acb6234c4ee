"use strict";
// The page is complete without this script.  It adds a switch between light and dark, search, zoom, and boxes that open.
// Every box was laid out when the page was made; opening one only makes room for its content in the box around it.

const BORDER = 16, HEADER = 24;
const find = (selector, within = document) => [...within.querySelectorAll(selector)];
const only = document.getElementById.bind(document);

// ------------------------------------------------------------------------------------------------------- light and dark
const dark = document.createElement("button");
dark.id = "theme";
dark.type = "button";
dark.textContent = "Light or dark";
dark.addEventListener("click", () => {
  const root = document.documentElement;
  const chosen = root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.style.colorScheme = chosen === "dark" ? "light" : "dark";
});
document.querySelector("main").prepend(dark);

// ------------------------------------------------------------------------------------------------------------- geometry
const geometry = new WeakMap(); // a part or an edge -> where it was laid out

function laidOut(inside) {
  for (const part of inside.children) {
    if (geometry.has(part)) continue;
    if (part.matches(".edge")) {
      geometry.set(part, [...part.getAttribute("d").matchAll(/([MVC])([^MVC]*)/g)].map((m) => [m[1], m[2].split(" ").map(Number)]));
    } else if (part.matches(".part")) {
      const [x, y] = part.getAttribute("transform").slice("translate(".length, -1).split(",").map(Number);
      const rect = part.querySelector("rect");
      geometry.set(part, { x, y, w: Number(rect.getAttribute("width")), h: Number(rect.getAttribute("height")) });
    }
  }
}

// A monotone map of one coordinate in which each interval [from, to] gets at least its length in `needs`.
function stretched(needs) {
  const cuts = [...new Set(needs.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
  const at = new Map();
  cuts.forEach((cut, k) => {
    const ends = needs.filter(([, to]) => to === cut).map(([from, , length]) => at.get(from) + length);
    at.set(cut, Math.max(k ? at.get(cuts[k - 1]) + cut - cuts[k - 1] : cut, ...ends));
  });
  return (value) => {
    const k = cuts.findIndex((cut) => cut >= value);
    if (!cuts.length || k === 0) return value;
    const before = cuts[k < 0 ? cuts.length - 1 : k - 1];
    if (k < 0) return at.get(before) + value - before;
    const part = (value - before) / (cuts[k] - before);
    return at.get(before) + part * (at.get(cuts[k]) - at.get(before));
  };
}

// Move the parts and edges of one box apart, so that the open boxes among them have room; the result is its size.
function arranged(inside) {
  laidOut(inside);
  const parts = find(":scope > .part", inside);
  const open = new Map();
  for (const part of parts.filter((one) => one.matches(".open"))) {
    const [w, h] = arranged(part.querySelector(":scope > .inside"));
    const own = geometry.get(part);
    open.set(part, [Math.max(w + 2 * BORDER, own.w), h + HEADER + 2 * BORDER]);
  }
  const needs = [...open].map(([part, size]) => [geometry.get(part), size]);
  const across = stretched(needs.map(([g, [w]]) => [g.x, g.x + g.w, w]));
  const down = stretched(needs.map(([g, [, h]]) => [g.y, g.y + g.h, h]));
  const now = new Map(); // part -> where it is now
  for (const part of parts) {
    const g = geometry.get(part);
    const [w, h] = open.get(part) ?? [g.w, g.h];
    const middle = open.has(part) ? (across(g.x) + across(g.x + g.w)) / 2 : across(g.x + g.w / 2);
    now.set(part, { x: middle - w / 2, y: down(g.y), w, h });
    placed(part, now.get(part));
  }
  for (const edge of find(":scope > .edge", inside)) {
    const [upper, lower] = edge.dataset.ends.split(" ").map((at) => parts[at]);
    edge.setAttribute("d", bent(geometry.get(edge), across, down, now.get(upper), end(edge, lower, now.get(lower))));
  }
  const [width, height] = inside.dataset.size.split(" ").map(Number);
  return [across(width), down(height)];
}

function placed(part, { x, y, w, h }) {
  part.setAttribute("transform", `translate(${x},${y})`);
  const rect = part.querySelector("rect");
  rect.setAttribute("width", w);
  rect.setAttribute("height", h);
  part.querySelector(":scope > .shapes")?.setAttribute("transform", `translate(${w / 2},${h})`);
}

// Where an edge ends at the upper border of a part: at the same share of its width as it was laid out.
function end(edge, part, { x, y, w }) {
  const g = geometry.get(part), at = geometry.get(edge).at(-1)[1].at(-2);
  return [x + ((at - g.x) / g.w) * w, y];
}

// The path of an edge from the middle of the lower border of a part, along mapped points, to its end.
function bent(words, across, down, upper, last) {
  let x = upper.x + upper.w / 2, y = upper.y + upper.h;
  return words.map(([word, numbers], k) => {
    if (word === "M") return `M${x} ${y}`;
    if (word === "V") return `V${(y = down(numbers[0]))}`;
    const [toX, toY] = k === words.length - 1 ? last : [across(numbers.at(-2)), down(numbers.at(-1))];
    const half = (y + toY) / 2;
    const said = `C${x} ${half} ${toX} ${half} ${toX} ${toY}`;
    [x, y] = [toX, toY];
    return said;
  }).join("");
}

// --------------------------------------------------------------------------------------------------------- boxes, zoom
const zooms = new WeakMap(); // a graph -> its zoom

function shown(svg) {
  const [w, h] = arranged(svg.querySelector(":scope > .inside")).map((side) => side + 2 * BORDER);
  const zoom = zooms.get(svg) ?? 1;
  svg.setAttribute("viewBox", `${-BORDER} ${-BORDER} ${w} ${h}`);
  svg.setAttribute("width", w * zoom);
  svg.setAttribute("height", h * zoom);
}

// The content of a box, from its text; the text has only what the page's maker escaped.
function read(text) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.innerHTML = text;
  return svg.firstElementChild;
}

function opened(box) {
  if (box.matches(".open")) return;
  const inside = read(only(`${box.id}-in`).textContent);
  inside.setAttribute("transform", `translate(${BORDER},${HEADER + BORDER / 2})`);
  box.insertBefore(inside, box.querySelector(":scope > .shapes"));
  box.classList.add("open");
  box.querySelector(".head").setAttribute("aria-expanded", "true");
  operable(inside);
}

function closed(box) {
  box.classList.remove("open");
  box.querySelector(":scope > .inside")?.remove();
  box.querySelector(".head").setAttribute("aria-expanded", "false");
}

function operable(inside) {
  for (const head of find(".box > .head", inside)) {
    head.setAttribute("role", "button");
    head.setAttribute("tabindex", "0");
    head.setAttribute("aria-expanded", "false");
    head.setAttribute("aria-label", find("text", head).map((text) => text.textContent).join(", "));
  }
}

function toggled(head) {
  const box = head.parentNode;
  (box.matches(".open") ? closed : opened)(box);
  shown(box.closest("svg"));
  head.focus();
}

function zoomed(svg, factor) {
  const canvas = svg.parentNode, before = zooms.get(svg) ?? 1;
  const zoom = Math.min(4, Math.max(0.05, factor ? before * factor : canvas.clientWidth / svg.viewBox.baseVal.width));
  const [x, y] = [canvas.scrollLeft + canvas.clientWidth / 2, canvas.scrollTop + canvas.clientHeight / 2];
  zooms.set(svg, factor || zoom < 1 ? zoom : 1);
  svg.setAttribute("width", svg.viewBox.baseVal.width * zooms.get(svg));
  svg.setAttribute("height", svg.viewBox.baseVal.height * zooms.get(svg));
  const grown = zooms.get(svg) / before;
  canvas.scrollTo(x * grown - canvas.clientWidth / 2, y * grown - canvas.clientHeight / 2);
}

const graphs = find(".canvas > svg");
for (const svg of graphs) {
  operable(svg);
  svg.addEventListener("click", (event) => {
    const head = event.target.closest(".box > .head");
    if (head) toggled(head);
  });
  svg.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && event.target.matches(".head")) {
      event.preventDefault();
      toggled(event.target);
    }
  });
  svg.parentNode.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomed(svg, event.deltaY < 0 ? 1.2 : 1 / 1.2);
  }, { passive: false });
  svg.parentNode.addEventListener("keydown", (event) => {
    const factor = { "+": 1.2, "=": 1.2, "-": 1 / 1.2, 0: 0 }[event.key];
    if (factor !== undefined && !event.ctrlKey && !event.metaKey) zoomed(svg, factor);
  });
}

// --------------------------------------------------------------------------------------------------------------- search
let index = null, hits = [], current = -1;

// Every node and box of every graph, also in boxes that are closed: its id, its words, and the box around it.
function indexed() {
  const boxes = graphs.map((svg) => [svg.querySelector(":scope > .inside"), null]);
  for (const text of find('script[type="text/plain"]')) boxes.push([read(text.textContent), text.id.slice(0, -"-in".length)]);
  return boxes.flatMap(([inside, box]) => find(":scope > .part[id]", inside)
    .map((part) => ({ id: part.id, box, words: (part.querySelector("title")?.textContent ?? "").toLowerCase() })));
}

function searched(words) {
  index ??= indexed();
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  hits = wanted.length ? index.filter((one) => wanted.every((word) => one.words.includes(word))) : [];
  current = -1;
  for (const old of find(".hit")) old.classList.remove("hit");
  only("hits").textContent = wanted.length ? `${hits.length} found` : "";
}

function revealed(step) {
  if (!hits.length) return;
  current = (current + step + hits.length) % hits.length;
  const hit = hits[current], around = [];
  for (let box = hit.box; box; box = index.find((one) => one.id === box)?.box) around.unshift(box);
  around.forEach((id) => opened(only(id)));
  for (const old of find(".hit")) old.classList.remove("hit");
  const part = only(hit.id), details = part.closest("details");
  if (details) details.open = true;
  shown(part.closest("svg"));
  part.classList.add("hit");
  part.scrollIntoView({ block: "center", inline: "center" });
  only("hits").textContent = `${current + 1} of ${hits.length}`;
}

const search = only("search");
if (search) {
  document.querySelector(".tools").hidden = false;
  search.addEventListener("input", () => searched(search.value));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") revealed(event.shiftKey ? -1 : 1);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  const every = (act) => graphs.forEach((svg) => { act(svg); shown(svg); });
  const acts = {
    next: () => revealed(1),
    smaller: () => graphs.forEach((svg) => zoomed(svg, 1 / 1.2)),
    larger: () => graphs.forEach((svg) => zoomed(svg, 1.2)),
    fit: () => graphs.forEach((svg) => zoomed(svg, 0)),
    open: () => every((svg) => {
      for (let boxes; (boxes = find(".box:not(.open)", svg)).length;) boxes.forEach(opened);
    }),
    close: () => every((svg) => find(":scope > .inside > .box.open", svg).forEach(closed)),
  };
  for (const button of find(".tools button")) button.addEventListener("click", acts[button.dataset.do]);
}

// ---------------------------------------------------------------------------------------------------------------- print
addEventListener("beforeprint", () => find("details").forEach((one) => { one.open = true; }));
document.documentElement.dataset.ready = "";
