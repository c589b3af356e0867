/** `npm run bench -- NAME [options]`: runs bench/NAME.ts, or lists the names. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const names = readdirSync(new URL("../bench", import.meta.url))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length));
const [name, ...options] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- NAME [--json]. Names: ${names.join(", ")}`);
  process.exit(2);
}
const { status } = spawnSync(process.execPath, [`bench/${name}.ts`, ...options], { stdio: "inherit" });
process.exit(status ?? 1);
