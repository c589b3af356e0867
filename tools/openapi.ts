/**
 * Writes the files generated from the contract: `openapi.json` and a part of the client library. With `--check`,
 * fails if the committed files differ.
 */
import { readFile, writeFile } from "node:fs/promises";
import { buildOpenApi } from "../packages/contract/src/index.ts";
import { type OpenApi, writeOperations, writeTypes } from "./client-source/client-source.ts";

const document = buildOpenApi();
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the generator throws at what it does not know
const source = buildOpenApi({ isOnlyV1: true }) as unknown as OpenApi;

const files = {
  "openapi.json": `${JSON.stringify(document, undefined, 2)}\n`,
  "packages/client/src/generated/types.ts": writeTypes(source),
  "packages/client/src/generated/operations.ts": writeOperations(source),
};

for (const [name, built] of Object.entries(files)) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) {
    await writeFile(file, built);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== built) {
    console.error(`${name} does not match packages/contract: run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  }
}
