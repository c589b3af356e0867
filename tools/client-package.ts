/**
 * Builds the published package of packages/client in its folder `dist`, and checks it: `publint`, and `attw` for
 * the resolution of its types in every TypeScript mode. To publish: `npm publish packages/client/dist`.
 */
import { spawnSync } from "node:child_process";
import { glob, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const source = path.join(import.meta.dirname, "../packages/client");
const dist = path.join(source, "dist");

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Replaces `.ts` in declarations, which some editors do not resolve. */
async function nameDeclarations(): Promise<void> {
  for await (const file of glob("**/*.d.ts", { cwd: dist })) {
    const text = await readFile(path.join(dist, file), "utf8");
    await writeFile(path.join(dist, file), text.replaceAll(/(from ")(\.[^"]*)\.ts"/g, '$1$2.js"'));
  }
}

async function writePackage(): Promise<void> {
  const { name, version, description, keywords, dependencies } = JSON.parse(
    await readFile(path.join(source, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  const published = {
    name,
    version,
    description,
    keywords,
    type: "module",
    sideEffects: false,
    exports: {
      ".": { types: "./index.d.ts", default: "./index.js" },
      "./api": { types: "./api.d.ts", default: "./api.js" },
    },
    dependencies,
    engines: { node: ">=20.3" },
  };
  await writeFile(path.join(dist, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  await writeFile(path.join(dist, "README.md"), await readFile(path.join(source, "README.md")));
}

await rm(dist, { recursive: true, force: true });
run("tsc", "-p", path.join(source, "tsconfig.build.json"));
await nameDeclarations();
await writePackage();
run("publint", "run", dist, "--strict");
// From Node 20.19 on, CommonJS can `require` the ES module, so there is no second build.
run("attw", "--pack", dist, "--profile", "esm-only");
