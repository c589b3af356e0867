import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { findImportProblems } from "./imports.ts";

type Sources = Readonly<Record<string, string>>;

const MODULES = "apps/server/src/modules";

const clean: Sources = {
  [`${MODULES}/calls/calls.service.ts`]: `import { sum } from "../conversations/conversations.service.ts";`,
  [`${MODULES}/calls/calls.tables.ts`]: `import { agents } from "../agents/agents.tables.ts";`,
  [`${MODULES}/calls/calls.int.test.ts`]: `import { store } from "../agents/agents.store.ts";`,
  [`${MODULES}/agents/agents.tables.ts`]: `import { calls } from "../calls/calls.tables.ts";`,
  [`${MODULES}/conversations/conversations.service.ts`]: `export * from "../../platform/clock.ts";`,
  "apps/server/src/node/compose.ts": `import { calls } from "../modules/calls/calls.module.ts";`,
  "packages/rtp/src/rtp.test.ts": `import { waitFor } from "@parley/testing";`,
  "packages/rtp/src/testing/peer.ts": `import { waitFor } from "@parley/testing";`,
  "packages/providers/src/testing/set.ts": `import { sampleAgent } from "@parley/contract/sample-agent";`,
  "packages/rtp/src/index.ts": `import { encode } from "@parley/audio";`,
};

const planted: Readonly<Record<string, { sources: Sources; problems: RegExp[] }>> = {
  "a circle of two features": {
    sources: {
      [`${MODULES}/conversations/conversations.service.ts`]: `import { a } from "../calls/calls.service.ts";`,
    },
    problems: [
      /calls\.service\.ts: imports \S+: closes a circle of features: calls → conversations → calls$/,
      /conversations\.service\.ts: imports \S+: closes a circle of features: conversations → calls → conv/,
    ],
  },
  "a circle through a third feature": {
    sources: {
      [`${MODULES}/conversations/a.ts`]: `export type { B } from "../webhooks/b.ts";`,
      [`${MODULES}/webhooks/b.ts`]: `const { a } = await import("../calls/calls.service.ts");`,
    },
    problems: [
      /calls\.service\.ts: .*: calls → conversations → webhooks → calls$/,
      /conversations\/a\.ts: .*: conversations → webhooks → calls → conversations$/,
      /webhooks\/b\.ts: .*: webhooks → calls → conversations → webhooks$/,
    ],
  },
  "tests' support in the product": {
    sources: {
      "packages/rtp/src/index.ts": `import { waitFor } from "@parley/testing";`,
      "apps/server/src/node/compose.ts": `import { waitFor } from "@parley/testing";`,
    },
    problems: [
      /^apps\/server\/src\/node\/compose\.ts: .*only tests/,
      /^packages\/rtp\/src\/index\.ts: .*only tests/,
    ],
  },
  "an import of an upper folder": {
    sources: {
      "apps/server/src/platform/jobs.ts": `import { calls } from "../modules/calls/calls.service.ts";`,
    },
    problems: [/platform\/jobs\.ts: .*: platform\/ is below modules\/$/],
  },
  "an import of a media process's owner": {
    sources: { "apps/server/src/model-providers/a.ts": `export { b } from "../media/b.ts";` },
    problems: [/model-providers\/a\.ts: .*: model-providers\/ is below media\/$/],
  },
  "a database in a media process": {
    sources: { "apps/server/src/media/a.ts": `import { b } from "../platform/database/b.ts";` },
    problems: [/media\/a\.ts: .*: a media process has no database/],
  },
  "a store that another feature reaches": {
    sources: { [`${MODULES}/calls/calls.jobs.ts`]: `import { find } from "../agents/agents.store.ts";` },
    problems: [/calls\.jobs\.ts: .*: a feature reaches another through its service/],
  },
  "a package above": {
    sources: { "packages/audio/src/a.ts": `import { b } from "@parley/rtp";` },
    problems: [/audio\/src\/a\.ts: .*: packages\/audio may import no other package$/],
  },
  "the contract in the product's providers": {
    sources: { "packages/providers/src/a.ts": `import { b } from "@parley/contract";` },
    problems: [/providers\/src\/a\.ts: .*: packages\/providers may import conversation, audio$/],
  },
  "a package's file outside it": {
    sources: { "packages/audio/src/a.ts": `import { b } from "../../rtp/src/b.ts";` },
    problems: [/audio\/src\/a\.ts: .*: a package imports another by its name/],
  },
};

const toFiles = (sources: Sources) => Object.entries(sources).map(([path, text]) => ({ path, text }));

test("imports that go down are allowed, and tables and tests may name what they need", () => {
  assert.deepEqual(findImportProblems(toFiles(clean)), []);
});

for (const [name, { sources, problems }] of Object.entries(planted)) {
  test(`${name} is reported`, () => {
    const found = findImportProblems(toFiles({ ...clean, ...sources })).sort();
    assert.equal(found.length, problems.length, found.join("\n"));
    for (const [index, problem] of problems.entries()) assert.match(found[index] ?? "", problem);
  });

  test(`${name} fails the check`, async (t) => {
    const { code, stderr } = await runCheck(t, { ...clean, ...sources });
    assert.equal(code, 1);
    assert.equal(stderr.trim().split("\n").length, problems.length);
  });
}

test("a repository without such imports passes the check", async (t) => {
  assert.deepEqual(await runCheck(t, clean), { code: 0, stderr: "" });
});

/** What `npm run check` runs, in a repository of these files. */
async function runCheck(t: TestContext, sources: Sources): Promise<{ code: number; stderr: string }> {
  const root = await mkdtemp(path.join(tmpdir(), "parley-imports-"));
  t.after(async () => await rm(root, { recursive: true }));
  for (const [file, text] of Object.entries(sources)) {
    await mkdir(path.join(root, path.dirname(file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
  const script = path.join(import.meta.dirname, "imports.ts");
  return await promisify(execFile)(process.execPath, [script], { cwd: root }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}
