/** Runs every static check, each to its end, and says which failed: `npm run check`. */
import { spawn } from "node:child_process";

const checks: readonly [name: string, command: string, ...args: string[]][] = [
  ["format", "oxfmt", "--check"],
  ["types", "tsc", "-p", "."],
  ["types of the client", "tsc", "-p", "packages/client"],
  ["types of the pages", "tsc", "-p", "apps/dashboard"],
  ["types of the examples", "tsc", "-p", "examples"],
  ["lint", "oxlint", "--deny-warnings"],
  ["unused", "knip"],
  ["imports", "node", "tools/imports.ts"],
  ["openapi", "node", "tools/openapi.ts", "--check"],
  ["client package", "node", "tools/client-package.ts"],
];

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
