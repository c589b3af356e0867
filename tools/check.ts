/** Runs every static check, each to its end, and says which failed: `npm run check`. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";

const checks: readonly [name: string, command: string, ...args: string[]][] = [
  ["format", "oxfmt", "--check"],
  ["types", "tsc", "-p", "."],
  ["types of the client", "tsc", "-p", "packages/client"],
  ["types of the pages", "tsc", "-p", "apps/dashboard"],
  ["types of the widget", "tsc", "-p", "apps/widget"],
  ["types of the examples", "tsc", "-p", "examples"],
  ["lint", "oxlint", "--deny-warnings"],
  ["unused", "knip"],
  ["imports", "node", "tools/imports.ts"],
  ["clock", "node", "tools/clock.ts"],
  ["words", "node", "tools/words.ts"],
  ["openapi", "node", "tools/openapi.ts", "--check"],
  ["notice", "node", "tools/notice.ts", "--check"],
  ["reference", "node", "tools/reference.ts", "--check"],
  ["client package", "node", "tools/client-package.ts"],
];

async function readWorkspaces(): Promise<string[]> {
  const names: string[] = [];
  for await (const manifest of glob("{packages,apps}/*/package.json")) {
    const { name } = JSON.parse(await readFile(manifest, "utf8")) as { name: string };
    names.push(name);
  }
  return names;
}

async function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  return await new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

// A workspace that is new since the last install has no link yet, and every check would fail without saying why.
const unlinked = (await readWorkspaces()).filter((name) => !existsSync(path.join("node_modules", name)));
if (unlinked.length > 0) {
  console.log(`node_modules lacks the workspace ${unlinked.join(", ")}. Install it: npm ci`);
  process.exit(1);
}

const failed: string[] = [];
for (const [name, command, ...args] of checks) {
  const startedAt = performance.now();
  const { code, output } = await run(command, args);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (code !== 0) {
    failed.push(name);
    console.log(output);
  }
}
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
