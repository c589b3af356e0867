/**
 * Checks the directions of imports (docs/architecture.md, "Layers"): prints each import that breaks a rule, and exits with
 * status 1 if there is one.
 */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";

interface SourceFile {
  /** From the repository's root, with `/`. */
  path: string;
  text: string;
}

interface Import {
  from: string;
  specifier: string;
  /** Path of a relative import's target, from the repository's root. */
  target: string | undefined;
}

/** The packages that each package may import. */
const packageLayers: Readonly<Record<string, readonly string[]>> = {
  audio: [],
  sip: [],
  contract: [],
  client: [],
  rtp: ["audio"],
  conversation: ["audio"],
  providers: ["conversation", "audio"],
  testing: [],
};

/** The packages that a package's tests may import in addition to `testing`: the answers to the sample agent are tested. */
const testLayers: Readonly<Record<string, readonly string[]>> = { providers: ["contract"] };

/** The folders of `apps/server/src`, lowest first: each may import those before it. */
const serverLayers = [
  "platform",
  "inference",
  "custom-tools",
  "model-providers",
  "media",
  "modules",
  "doctor",
  "node",
  "demo",
] as const;

const SERVER = "apps/server/src/";
const MODULES = `${SERVER}modules/`;

/** One line for each import that breaks a rule. */
export function findImportProblems(files: readonly SourceFile[]): string[] {
  const imports = files.flatMap(readImports);
  const problems = imports.flatMap((each) => {
    const problem = findTestingProblem(each) ?? findPackageProblem(each) ?? findServerProblem(each);
    return problem === undefined ? [] : [describe(each, problem)];
  });
  return [...problems, ...findCircles(imports)];
}

function readImports({ path: from, text }: SourceFile): Import[] {
  const { module } = parseSync(from, text);
  const specifiers = [
    ...module.staticImports.map((each) => each.moduleRequest.value),
    ...module.staticExports.flatMap((each) => each.entries.map((entry) => entry.moduleRequest?.value ?? "")),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ].filter((each) => each !== "");
  return specifiers.map((specifier) => ({
    from,
    specifier,
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : undefined,
  }));
}

function findTestingProblem({ from, specifier }: Import): string | undefined {
  if (specifier !== "@parley/testing" || supportsTests(from)) return undefined;
  return "only tests and what supports them import @parley/testing";
}

function findPackageProblem({ from, specifier, target }: Import): string | undefined {
  const owner = /^packages\/([^/]+)\//.exec(from)?.[1];
  if (owner === undefined) return undefined;
  if (target !== undefined && !target.startsWith(`packages/${owner}/`)) {
    return "a package imports another by its name, and nothing outside packages/";
  }
  const imported = /^@parley\/([^/]+)/.exec(specifier)?.[1];
  if (imported === "testing" || (supportsTests(from) && testLayers[owner]?.includes(imported ?? "")))
    return undefined;
  if (imported === undefined || imported === owner || packageLayers[owner]?.includes(imported))
    return undefined;
  return `packages/${owner} may import ${packageLayers[owner]?.join(", ") || "no other package"}`;
}

function findServerProblem({ from, target }: Import): string | undefined {
  if (target === undefined || !from.startsWith(SERVER) || isTest(from)) return undefined;
  const [lower, upper] = [from, target].map(layerOf);
  if (lower !== undefined && upper !== undefined && lower < upper)
    return `${serverLayers[lower]}/ is below ${serverLayers[upper]}/`;
  if (from.startsWith(`${SERVER}media/`) && /\/platform\/(database|http|jobs)\//.test(target))
    return "a media process has no database and no HTTP server";
  if (isAcrossFeatures({ from, target }) && /\.(store|tables|routes|jobs|module)\.ts$/.test(target))
    return "a feature reaches another through its service (tables may name each other's keys)";
  return undefined;
}

const supportsTests = (file: string): boolean => /\.test\.ts$|\/testing(\/|\.ts$)/.test(file);

/** Position in `serverLayers`; `undefined` for files beside these folders. */
function layerOf(file: string): number | undefined {
  if (!file.startsWith(SERVER)) return undefined;
  const layer = serverLayers.findIndex((folder) => file.startsWith(`${SERVER}${folder}/`));
  return layer === -1 ? undefined : layer;
}

/** Tests may import all layers; so may what tests and benches build nodes with. */
const isTest = (file: string): boolean => /\.test\.ts$|\/testing\.ts$/.test(file);

const featureOf = (file: string): string | undefined =>
  file.startsWith(MODULES) ? /^([^/]+)\//.exec(file.slice(MODULES.length))?.[1] : undefined;

function isAcrossFeatures({ from, target }: { from: string; target: string }): boolean {
  if (from.endsWith(".tables.ts") && target.endsWith(".tables.ts")) return false;
  const [importer, imported] = [featureOf(from), featureOf(target)];
  return importer !== undefined && imported !== undefined && importer !== imported;
}

/** Each import between features that is part of a circle of features. */
function findCircles(imports: readonly Import[]): string[] {
  const importedBy = new Map<string, Set<string>>();
  const crossings = imports.flatMap((each) => {
    const { from, target } = each;
    if (target === undefined || isTest(from) || !isAcrossFeatures({ from, target })) return [];
    const [importer = "", imported = ""] = [featureOf(from), featureOf(target)];
    importedBy.set(importer, (importedBy.get(importer) ?? new Set()).add(imported));
    return [{ each, importer, imported }];
  });
  return crossings.flatMap(({ each, importer, imported }) => {
    const back = findPath(importedBy, imported, importer);
    return back === undefined
      ? []
      : [describe(each, `closes a circle of features: ${[importer, ...back].join(" → ")}`)];
  });
}

/** The shortest path of imports, both ends included. */
function findPath(
  importedBy: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
  end: string,
): string[] | undefined {
  const paths = [[start]];
  const seen = new Set([start]);
  for (const steps of paths) {
    const last = steps.at(-1) ?? start;
    if (last === end) return steps;
    for (const next of importedBy.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...steps, next]);
    }
  }
  return undefined;
}

const describe = ({ from, specifier }: Import, problem: string): string =>
  `${from}: imports ${specifier}: ${problem}`;

async function readSources(): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const exclude = (name: string): boolean => name.includes("node_modules");
  for await (const file of glob("{apps,packages}/**/*.{ts,tsx}", { exclude }))
    files.push({ path: file.replaceAll("\\", "/"), text: await readFile(file, "utf8") });
  return files;
}

if (import.meta.main) {
  const problems = findImportProblems(await readSources());
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
