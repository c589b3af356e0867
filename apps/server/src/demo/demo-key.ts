import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** The demo's API key, the same at every start on this data directory. */
export async function demoApiKey(dataDirectory: string): Promise<string> {
  const file = path.join(dataDirectory, "demo-api-key");
  const existing = await readFile(file, "utf8").catch(() => undefined);
  if (existing !== undefined) return existing.trim();
  const key = `parley_${randomBytes(24).toString("base64url")}`;
  await mkdir(dataDirectory, { recursive: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
