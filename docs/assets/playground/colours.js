// Colours of programs and of reports, as HTML.

const TOKENS = [
  ["comment", /\/\/[^\n]*|\/\*[^]*?\*\//],
  ["string", /"(?:[^"\\\n]|\\.)*"/],
  ["function", /@[\w.]+/],
  ["variable", /%[\w.]+/],
  ["keyword", /\b(?:def|let|if|else|match|fn|where|type|as|assert|free_var)\b/],
  ["type", /\b(?:Tensor|bool|(?:u?int|b?float)\d+)\b|\?/],
  ["number", /-?\b\d[\w.]*/],
];
const TOKEN = new RegExp(TOKENS.map(([name, form]) => `(?<${name}>${form.source})`).join("|"), "g");

export function programAsHtml(text) {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [name] = Object.entries(match.groups).find(([, part]) => part !== undefined);
    html += `${escaped(text.slice(end, match.index))}<span class="relay-${name}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(text.slice(end));
}

const STYLES = {
  "1;31": "error",
  "1;33": "warning",
  "1;36": "note",
  "1;32": "help",
  "1;34": "frame",
  1: "strong",
  2: "faint",
};

// A report with a terminal's colours.
export function reportAsHtml(text) {
  let style = "";
  return text
    .split(/\x1b\[([\d;]*)m/)
    .map((part, index) => {
      if (index % 2) {
        style = STYLES[part] ?? "";
        return "";
      }
      return style && part ? `<b class="report-${style}">${escaped(part)}</b>` : escaped(part);
    })
    .join("");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
