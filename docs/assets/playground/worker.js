// The checker in a worker: Python by Pyodide, and the package as an archive. Every file lies beside this one.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const CHECK = `
import json, time
import gradual

def checked(text, name, checks):
    started = time.perf_counter()
    found = gradual.check(text, name, smt=False)
    report = found.render(checks=checks, color=True)
    marks = [[one.line, one.severity.value] for one in found.diagnostics]
    return json.dumps({"report": report, "marks": marks, "seconds": time.perf_counter() - started})

checked
`;

const checked = start();

async function start() {
  const archive = fetch(new URL("gradual.zip", import.meta.url)).then((answer) => answer.arrayBuffer());
  const python = await loadPyodide();
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await archive, "zip", { extractDir: site });
  python.runPython(`import os; os.environ["XDG_CACHE_HOME"] = "${site}/cache"`); // has the tables of the grammar
  return python.runPython(CHECK);
}

checked.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { id, text, name, checks } }) => {
  try {
    postMessage({ id, ...JSON.parse((await checked)(text, name, checks)) });
  } catch (error) {
    postMessage({ id, failed: String(error) });
  }
};
