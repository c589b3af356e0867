import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";

/**
 * Packages that importing a file of ours loads, directly or indirectly. Does not include packages that are already
 * loaded.
 */
async function packagesBehind(file: string): Promise<Set<string>> {
  const packages = new Set<string>();
  const hooks = registerHooks({
    load: (url, context, loadNext) => {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return loadNext(url, context);
    },
  });
  await import(file);
  hooks.deregister();
  return packages;
}

test("the processes of a node start before large modules are loaded", async () => {
  const packages = await packagesBehind("./start-node.ts");
  assert.ok(packages.has("pg"));
  for (const large of ["drizzle-orm", "fastify", "typebox", "pg-boss", "undici", "zod"])
    assert.ok(!packages.has(large), large);
});

test("the inference process loads no vendors' clients", async () => {
  const packages = await packagesBehind("../inference/load-handlers.ts");
  for (const client of ["undici", "zod", "@ai-sdk/openai-compatible"])
    assert.ok(!packages.has(client), client);
});
