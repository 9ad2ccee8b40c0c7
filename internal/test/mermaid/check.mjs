// node check.mjs NODE_MODULES FILE...: parses Mermaid diagrams with Mermaid itself.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { JSDOM } = createRequire(join(modules, "here.js"))("jsdom");
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import(pathToFileURL(join(modules, "mermaid/dist/mermaid.core.mjs")));
for (const file of files) {
  try {
    await mermaid.parse(readFileSync(file, "utf8"));
  } catch (e) {
    console.error(`${file}: ${e.message}`);
    process.exitCode = 1;
  }
}
