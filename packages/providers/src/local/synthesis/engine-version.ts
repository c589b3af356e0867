import { createHash } from "node:crypto";
import { MODEL_CATALOG } from "../../models/catalog.ts";

/** Increased when texts are pronounced, split or shaped in another way: stored speech is then synthesized again. */
const RECIPE = 1;

/** Version of an engine's audio, from its model files and their processing. */
export function engineVersion(group: "kokoro" | "dittli"): string {
  const files = MODEL_CATALOG[group].files.map(({ path, sha256 }) => [path, sha256]);
  return createHash("sha256")
    .update(JSON.stringify([RECIPE, files]))
    .digest("hex");
}
