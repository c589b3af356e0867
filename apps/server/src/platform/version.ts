import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const COMMIT_LENGTH = 7;

let version: string | undefined;

/** Version of this program, with the commit if it runs from a clone: `0.1.0+3f9c2ab`. */
export function findVersion(): string {
  version ??= readVersion(root);
  return version;
}

export function readVersion(folder: string): string {
  const { version: released } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
    version: string;
  };
  const commit = readCommit(`${folder}/.git`);
  return commit === undefined ? released : `${released}+${commit.slice(0, COMMIT_LENGTH)}`;
}

/** The checked-out commit, as Git stores it: in `HEAD`, or in the file of the branch that `HEAD` names. */
function readCommit(gitFolder: string): string | undefined {
  const head = readText(`${gitFolder}/HEAD`);
  const branch = /^ref: (refs\/[\w./-]+)$/.exec(head ?? "")?.[1];
  const commit = branch === undefined ? head : readText(`${gitFolder}/${branch}`);
  return commit !== undefined && /^[\da-f]{40,64}$/.test(commit) ? commit : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
