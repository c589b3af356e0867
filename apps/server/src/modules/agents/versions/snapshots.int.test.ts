import assert from "node:assert/strict";
import test from "node:test";
import { inJointTransaction } from "../../../platform/database/joint-transaction.ts";
import { createTestServer } from "../../testing.ts";

test("a version that is rolled back is not remembered in place of the one that is stored", async (context) => {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const { agents, agentResolution } = server.modules;
  const { id, widgetKey } = await agents.create(server, { name: "first" });
  const nameOf = async () => (await agentResolution.findByWidgetKey(widgetKey))?.document.name;
  const rename = async (name: string) => await agents.update(server, id, { name });
  assert.equal(await nameOf(), "first");
  await assert.rejects(
    inJointTransaction(server.database, async () => {
      await rename("rolled back");
      assert.equal(await nameOf(), "rolled back");
      throw new Error("no");
    }),
    /no/,
  );
  assert.equal(await nameOf(), "first");
  await rename("second");
  assert.equal(await nameOf(), "second");
});
