import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { findChangedFiles, findTestsReaching } from "./changed-tests.ts";

const tree = {
  "package.json": '{ "scripts": { "start": "node -r ./hook.cjs apps/server/src/main.ts" } }',
  "hook.cjs": "",
  "apps/server/src/main.ts": 'await import("./deep.ts");',
  "apps/server/src/deep.ts": 'new URL("./process.ts", import.meta.url);',
  "apps/server/src/process.ts": 'import { tone } from "@parley/audio/tone";',
  "apps/server/src/unrelated.test.ts": 'import test from "node:test";',
  "packages/audio/package.json": '{ "exports": { "./tone": "./src/tone.ts" } }',
  "packages/audio/src/tone.ts": "",
  "packages/audio/src/tone.test.ts": 'import { tone } from "./tone.ts";',
  "packages/audio/src/one.ts": 'import "./other.ts";',
  "packages/audio/src/other.ts": 'import "./one.ts";',
  "packages/audio/src/one.test.ts": 'import "./one.ts";',
  "e2e/start.ts": 'import packageJson from "../package.json" with { type: "json" };',
  "e2e/call.test.ts":
    'import "./start.ts"; readFile(path.join(import.meta.dirname, "..", "bench", "hello.wav"));',
  "e2e/sipp.test.ts": "new URL(`./scenarios/${name}.xml`, import.meta.url)",
  "e2e/scenarios/keys.xml": "",
  "bench/hello.wav": "",
  "docs/notes.md": "",
};
const tests = Object.keys(tree).filter((file) => file.endsWith(".test.ts"));

function plantTree(t: TestContext): string {
  const root = mkdtempSync(path.join(tmpdir(), "parley-changed-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

test("a change reaches the tests that name the file in imports, processes and paths, at any depth", (t) => {
  const root = plantTree(t);
  const cases: Record<string, string[]> = {
    "packages/audio/src/tone.ts": ["packages/audio/src/tone.test.ts", "e2e/call.test.ts"],
    "apps/server/src/process.ts": ["e2e/call.test.ts"],
    "bench/hello.wav": ["e2e/call.test.ts"],
    "e2e/scenarios/keys.xml": ["e2e/sipp.test.ts"],
    "packages/audio/src/other.ts": ["packages/audio/src/one.test.ts"],
    "apps/server/src/unrelated.test.ts": ["apps/server/src/unrelated.test.ts"],
    "docs/notes.md": [],
    "package-lock.json": tests,
  };
  for (const [changed, reached] of Object.entries(cases)) {
    assert.deepEqual(findTestsReaching([changed], tests, root).sort(), reached.sort(), changed);
  }
});

test("files count as changed that were committed, edited, added or deleted since the work branched off", (t) => {
  const root = plantTree(t);
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const git = (...args: string[]): void =>
    void execFileSync("git", [...identity, ...args], { cwd: root, stdio: "ignore" });
  git("init", "--initial-branch=main");
  git("add", ".");
  git("commit", "-m", "Begin");
  git("checkout", "-b", "work");
  writeFileSync(path.join(root, "docs/notes.md"), "committed");
  git("commit", "-am", "Note");
  git("checkout", "main");
  writeFileSync(path.join(root, "bench/hello.wav"), "changed on main only");
  git("commit", "-am", "Say hello");
  git("checkout", "work");
  writeFileSync(path.join(root, "hook.cjs"), "edited");
  writeFileSync(path.join(root, "added.ts"), "");
  rmSync(path.join(root, "e2e/start.ts"));
  assert.deepEqual(findChangedFiles("main", root).sort(), [
    "added.ts",
    "docs/notes.md",
    "e2e/start.ts",
    "hook.cjs",
  ]);
});
