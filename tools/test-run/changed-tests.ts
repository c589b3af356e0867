import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";

/** Changes that reach every test. */
const REACHES_ALL = new Set(["package.json", "package-lock.json", ".npmrc", "tools/require-node.cjs"]);
const DEFAULT_REFS = ["main", "origin/main"];
const SOURCE = /\.([cm]?[jt]s|tsx)$/;
/** A quoted text that may be a path; of a template, the part before its first expression. */
const QUOTED = /(?<!\w)["'`]([\w@./-]+)(?:["'`]|\$\{)/g;
/** Its script `start` names the entry of the server, which end-to-end tests start as an operator does. */
const START_COMMAND = "package.json";
const JOINED = /path\.(?:join|resolve)\(\s*import\.meta\.dirname,((?:\s*"[^"]*",?)+)\s*\)/g;

/** What a file imports or reads: paths of files and of folders, from the root. */
type References = ReadonlySet<string>;

/** Files, from the repository's root, that differ from the commit at which the work branched off `ref`. */
export function findChangedFiles(ref = DEFAULT_REFS.find(isRef), root = "."): string[] {
  if (ref === undefined)
    throw new Error(`None of ${DEFAULT_REFS.join(", ")} exists: name a commit, --changed=REF`);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const changed = git("diff", "--name-only", "--no-renames", git("merge-base", ref, "HEAD").trim());
  const added = git("ls-files", "--others", "--exclude-standard");
  return [...changed.split("\n"), ...added.split("\n")].filter((file) => file !== "");
}

function isRef(name: string): boolean {
  try {
    execFileSync("git", ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Those of the test files that are changed, or whose imports or paths reach a changed file at any depth.
 *
 * Any quoted path of a file that exists counts, so that the entry of a process that a test starts is followed like an
 * import. A file read through a path that is computed from a variable is found by the folder before the variable.
 */
export function findTestsReaching(
  changed: readonly string[],
  tests: readonly string[],
  root = ".",
): string[] {
  if (changed.some((file) => REACHES_ALL.has(file))) return [...tests];
  const graph = readGraph(tests, root);
  const reached = new Set(changed.flatMap((file) => [file, ...foldersOf(file)]));
  for (let size = -1; size < reached.size;) {
    size = reached.size;
    for (const [file, references] of graph) {
      if (!reached.isDisjointFrom(references)) reached.add(file);
    }
  }
  return tests.filter((file) => reached.has(path.normalize(file)));
}

function foldersOf(file: string): string[] {
  const folder = path.dirname(file);
  return folder === "." ? [] : [folder, ...foldersOf(folder)];
}

function readGraph(tests: readonly string[], root: string): Map<string, References> {
  const graph = new Map<string, References>();
  const waiting = tests.map((file) => path.normalize(file));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (graph.has(file)) continue;
    const references = referencesOf(file, root);
    graph.set(file, references);
    waiting.push(...[...references].filter((each) => SOURCE.test(each) || each === START_COMMAND));
  }
  return graph;
}

function referencesOf(file: string, root: string): References {
  const text = readFileSync(path.join(root, file), "utf8");
  if (file === START_COMMAND) return startedFiles(text);
  const folder = path.dirname(file);
  const references = new Set<string>();
  const add = (target: string, isFolderMeant: (folder: string) => boolean): boolean => {
    const kind = statSync(path.join(root, target), { throwIfNoEntry: false });
    const isReference = kind?.isFile() === true || (kind?.isDirectory() === true && isFolderMeant(target));
    if (isReference) references.add(path.normalize(target).replace(/\/$/, ""));
    return isReference;
  };
  for (const [, name = ""] of text.matchAll(QUOTED)) {
    if (name.startsWith("@parley/")) {
      add(exportedFile(name, root), () => false);
    } else if (name.includes("/") || SOURCE.test(name)) {
      const isElsewhere = (target: string): boolean => path.relative(target, folder).startsWith("..");
      if (!add(path.join(folder, name), isElsewhere) && !name.startsWith(".")) add(name, () => false);
    }
  }
  for (const [, parts = ""] of text.matchAll(JOINED)) {
    const names = [...parts.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => name);
    add(path.join(folder, ...names), (target) => target !== ".");
  }
  return references;
}

function startedFiles(manifest: string): References {
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  return new Set(
    scripts.start
      .split(" ")
      .filter((word) => SOURCE.test(word))
      .map((word) => path.normalize(word)),
  );
}

/** The file behind `@parley/NAME` or `@parley/NAME/EXPORT`. */
function exportedFile(specifier: string, root: string): string {
  const [, name = "", ...rest] = specifier.split("/");
  for (const folder of [`packages/${name}`, `apps/${name}`]) {
    const manifest = path.join(root, folder, "package.json");
    if (statSync(manifest, { throwIfNoEntry: false }) === undefined) continue;
    const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { exports?: Record<string, string> };
    const target = exports?.[["."].concat(rest).join("/")];
    if (target !== undefined) return path.join(folder, target);
  }
  return specifier;
}
