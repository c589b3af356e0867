import assert from "node:assert/strict";
import { test } from "node:test";
import { agentFields, defaultsOf } from "@parley/contract";
import { createTestServer } from "../testing.ts";

test("the defaults are accepted, in full and as null", async (context) => {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const { request } = server;
  const { id } = await server.modules.agents.create(server, { name: "Ada" });
  const defaults = defaultsOf(agentFields);
  const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
  const created = await request("POST", "/agents", { name: "Bea", ...defaults });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  for (const body of [defaults, nulls]) {
    const changed = await request("PATCH", `/agents/${id}`, body);
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
  }
});
