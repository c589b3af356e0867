/** Writes `openapi.json` from the contract; with `--check` fails when the committed file says something else. */
import { readFile, writeFile } from "node:fs/promises";
import { buildOpenApi } from "../packages/contract/src/index.ts";

const file = new URL("../openapi.json", import.meta.url);
const built = `${JSON.stringify(buildOpenApi(), undefined, 2)}\n`;

if (process.argv.includes("--check")) {
  const committed = await readFile(file, "utf8").catch(() => "");
  if (committed !== built) {
    console.error("openapi.json does not match packages/contract: run `npm run openapi` and commit it.");
    process.exitCode = 1;
  }
} else {
  await writeFile(file, built);
}
