/**
 * Fetches the speech models into the cache that all clones share: `npm run models [-- --verify] [group…]`.
 * Without groups: those that a start without further configuration uses. `--verify` hashes what is there already.
 */
import {
  DEFAULT_MODEL_GROUPS,
  defaultModelsDir,
  ensureModels,
  MODEL_CATALOG,
  type ModelGroup,
} from "@parley/providers";
import { explainModelError } from "../apps/server/src/inference/fetch-models.ts";
import { ModelProgressDisplay } from "../apps/server/src/inference/model-progress.ts";

const isGroup = (name: string): name is ModelGroup => Object.hasOwn(MODEL_CATALOG, name);

const words = process.argv.slice(2);
const unknown = words.filter((word) => word !== "--verify" && !isGroup(word));
if (unknown.length > 0) {
  console.error(
    `Unknown model group: ${unknown.join(", ")}. Known: ${Object.keys(MODEL_CATALOG).join(", ")}`,
  );
  process.exit(2);
}
const named = words.filter(isGroup);
const groups = named.length > 0 ? named : DEFAULT_MODEL_GROUPS;
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
  const licenses = groups.map((name) => `${name} (${MODEL_CATALOG[name].license})`);
  console.log(`Models ready in ${modelsDir}: ${licenses.join(", ")}`);
} catch (error) {
  display.end();
  console.error(explainModelError(error, defaultModelsDir()).message);
  process.exitCode = 1;
}
