// A program in the fragment of a link: compressed by deflate, in the alphabet of base64 that links may contain.

const MARK = "#p=";

export async function fragmentOf(program) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(program));
  const text = btoa(String.fromCharCode(...bytes));
  return MARK + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The program of a fragment; null if it has none. Throws an error if the fragment is damaged.
export async function programOf(fragment) {
  if (!fragment.startsWith(MARK)) return null;
  const text = atob(fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
