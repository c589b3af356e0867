/**
 * Fetches the speech models into the cache that all clones share: `npm run models [-- --verify] [group…]`.
 * Without groups: those that a start without further configuration uses. `--verify` hashes what is there already.
 */
import {
  defaultModelGroups,
  defaultModelsDir,
  ensureModels,
  modelCatalogue,
  type ModelGroup,
} from "@parley/providers";
import { explainModelError } from "../apps/server/src/inference/fetch-models.ts";
import { ModelProgressDisplay } from "../apps/server/src/inference/model-progress.ts";

const isGroup = (name: string): name is ModelGroup => Object.hasOwn(modelCatalogue, name);

const words = process.argv.slice(2);
const unknown = words.filter((word) => word !== "--verify" && !isGroup(word));
if (unknown.length > 0) {
  console.error(
    `Unknown model group: ${unknown.join(", ")}. Known: ${Object.keys(modelCatalogue).join(", ")}`,
  );
  process.exit(2);
}
const named = words.filter(isGroup);
const groups = named.length > 0 ? named : defaultModelGroups;
const display = new ModelProgressDisplay(defaultModelsDir());
// What is half fetched is removed before the process ends.
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
try {
  const modelsDir = await ensureModels({
    groups,
    mustHash: words.includes("--verify"),
    signal: interrupted.signal,
    onProgress: (progress) => display.show(progress),
  });
  display.end();
  const licences = groups.map((name) => `${name} (${modelCatalogue[name].licence})`);
  console.log(`Models ready in ${modelsDir}: ${licences.join(", ")}`);
} catch (error) {
  display.end();
  console.error(explainModelError(error, defaultModelsDir()).message);
  process.exitCode = 1;
}
