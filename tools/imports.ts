/**
 * Checks that imports only go down (docs/architecture.md, "Layers"). Prints each import that does not and exits 1.
 */
import { readFile } from "node:fs/promises";
import { glob } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";

/** What each package may import of the others. */
const packageLayers: Record<string, readonly string[]> = {
  audio: [],
  sip: [],
  contract: [],
  client: [],
  rtp: ["audio"],
  conversation: ["audio"],
  providers: ["conversation", "audio"],
};

interface Import {
  from: string;
  specifier: string;
  /** Path of a relative import's target, from the repository's root. */
  target: string | undefined;
}

function isOf(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

function featureOf(file: string): string | undefined {
  return /^apps\/server\/src\/modules\/([^/]+)\//.exec(file)?.[1];
}

function packageProblem({ from, specifier, target }: Import): string | undefined {
  const owner = /^packages\/([^/]+)\//.exec(from)?.[1];
  if (owner === undefined) return undefined;
  if (target !== undefined && !isOf(target, `packages/${owner}`)) {
    return "a package reaches another by its name, and nothing outside packages/";
  }
  const imported = /^@parley\/([^/]+)/.exec(specifier)?.[1];
  if (imported === undefined || imported === owner || packageLayers[owner]?.includes(imported))
    return undefined;
  return `packages/${owner} may import ${packageLayers[owner]?.join(", ") || "no other package"}`;
}

function serverProblem({ from, target }: Import): string | undefined {
  if (target === undefined || !isOf(from, "apps/server/src") || /\.test\.ts$|\/testing\.ts$/.test(from))
    return undefined;
  const fromFeature = featureOf(from);
  const toFeature = featureOf(target);
  if (isOf(from, "apps/server/src/platform") && !isOf(target, "apps/server/src/platform")) {
    return "platform/ knows no feature";
  }
  if (isOf(from, "apps/server/src/media") && /\/(modules|platform\/(database|http|jobs))\//.test(target)) {
    return "a media process has no database and no HTTP server";
  }
  if (fromFeature !== undefined && toFeature !== undefined && fromFeature !== toFeature) {
    const areTables = from.endsWith(".tables.ts") && target.endsWith(".tables.ts");
    if (!areTables && /\.(store|tables|routes|jobs)\.ts$/.test(target)) {
      return "a feature reaches another through its service (tables may name each other's keys)";
    }
  }
  return undefined;
}

async function importsOf(file: string): Promise<Import[]> {
  const { module } = parseSync(file, await readFile(file, "utf8"));
  const specifiers = [
    ...module.staticImports.map((each) => each.moduleRequest.value),
    ...module.staticExports.flatMap((each) => each.entries.map((entry) => entry.moduleRequest?.value ?? "")),
  ].filter((each) => each !== "");
  return specifiers.map((specifier) => ({
    from: file,
    specifier,
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
  }));
}

const problems: string[] = [];
for await (const file of glob("{apps,packages}/**/*.{ts,tsx}", {
  exclude: (name) => name.includes("node_modules"),
})) {
  for (const each of await importsOf(file)) {
    const problem = packageProblem(each) ?? serverProblem(each);
    if (problem !== undefined) problems.push(`${file}: imports ${each.specifier}: ${problem}`);
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
