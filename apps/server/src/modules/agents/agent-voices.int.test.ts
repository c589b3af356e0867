import assert from "node:assert/strict";
import test from "node:test";
import { createTestServer } from "../testing.ts";
import { listVoiceChoices } from "./agent-voices.store.ts";

test("voices in use are those of drafts, published versions and pinned versions, not those of earlier ones", async (context) => {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const listIds = async (): Promise<string[]> =>
    (await listVoiceChoices(server.database)).map(({ voiceId }) => voiceId).sort();
  assert.deepEqual(await listIds(), []);

  const { id } = await server.modules.agents.create(server, {
    name: "Ada",
    language: "en-US",
    publishMode: "manual",
  });
  assert.deepEqual(await listVoiceChoices(server.database), [
    { voiceId: "", fallbackVoiceId: undefined, language: "en-US" },
  ]);
  const change = async (voiceId: string): Promise<void> => {
    const { status } = await server.request("PATCH", `/agents/${id}`, { voiceId });
    assert.equal(status, 200);
  };
  const request = async (method: "POST" | "PUT", path: string, body: object): Promise<void> => {
    const { status, body: answer } = await server.request(method, `/agents/${id}/${path}`, body);
    assert.ok(status < 300, JSON.stringify(answer));
  };
  await change("kokoro/af_bella");
  await request("PUT", "environments/testing", { revision: 2 });
  await change("kokoro/af_nova");
  await request("POST", "publish", {});
  await change("kokoro/am_adam");
  await change("dittli/male");
  assert.deepEqual(await listIds(), ["dittli/male", "kokoro/af_bella", "kokoro/af_nova"]);
});
