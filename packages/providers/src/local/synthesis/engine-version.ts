import { createHash } from "node:crypto";
import { MODEL_CATALOG } from "../../models/catalog.ts";

/** To be raised when texts are pronounced, parted or shaped in another way: speech that was kept is made again. */
const RECIPE = 1;

/** Version of an engine's audio: of its model files and of what is done with them. */
export function versionOf(group: "kokoro" | "dittli"): string {
  const files = MODEL_CATALOG[group].files.map(({ path, sha256 }) => [path, sha256]);
  return createHash("sha256")
    .update(JSON.stringify([RECIPE, files]))
    .digest("hex");
}
