// Each program of a page gets a link that opens it in the playground; the search dialog gets its name.

import { fragmentOf } from "./permalink.js";

const PLAYGROUND = new URL("../playground/", import.meta.url);

document.querySelector(".md-search")?.setAttribute("aria-label", "Search");

for (const code of document.querySelectorAll(".language-relay pre > code")) {
  const link = document.createElement("a");
  link.className = "try-it";
  link.textContent = "Try it";
  link.href = PLAYGROUND + (await fragmentOf(code.textContent.replace(/\s+$/, "\n")));
  code.closest(".highlight").append(link);
}
