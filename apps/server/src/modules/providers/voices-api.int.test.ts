/** Voices, models and languages by the API, with the local models. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Language, Model, Voice } from "@parley/contract";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, storeAgentFields } from "../testing.ts";

async function open(context: TestContext) {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const get = async <T>(url: string): Promise<T> => {
    const { status, body } = await server.request("GET", url);
    assert.equal(status, 200, JSON.stringify(body));
    const { data }: { data: T } = JSON.parse(JSON.stringify(body));
    return data;
  };
  return { server, get };
}

test("voices are listed by language, category and name, and each can be read", async (context) => {
  const { server, get } = await open(context);
  const all = await get<Voice[]>("/voices");
  assert.ok(all.length > 20);
  assert.deepEqual(
    all.filter(({ isDefault }) => isDefault).map(({ id }) => id),
    ["kokoro/af_heart"],
  );
  assert.ok(all.every((voice) => !("tier" in voice) && voice.status === "ready"));
  const british = await get<Voice[]>("/voices?language=en-gb");
  assert.ok(british.length > 3 && british.every(({ language }) => language === "en-GB"));
  assert.deepEqual(await get<Voice[]>("/voices?language=de"), []);
  assert.deepEqual(await get<Voice[]>("/voices?category=cloned"), []);
  const found = await get<Voice[]>("/voices?search=HEAR&category=standard");
  assert.deepEqual(
    found.map(({ displayName }) => displayName),
    ["Heart"],
  );
  assert.deepEqual(await get<Voice>("/voices/kokoro%2Faf_heart"), found[0]);
  assertRefused(await server.request("GET", "/voices/kokoro%2Fnobody"), "not_found");
  assertRefused(await server.request("GET", "/voices/kokoro%2Fnobody/preview"), "not_found");
  assertRefused(await server.request("GET", "/voices?language=x"), "invalid_query", "language");
});

test("models and languages say what agents may choose", async (context) => {
  const { get } = await open(context);
  const [standard] = await get<Model[]>("/models");
  assert.deepEqual([standard?.id, standard?.isDefault], ["service-standard", true]);
  const languages = await get<Language[]>("/languages");
  assert.deepEqual(languages, [
    { id: "en", displayName: "English", isHeard: true, isSpoken: true, hasPhrases: true },
  ]);
});

test("an agent that could not hear or speak is refused at its field, and stored values stay", async (context) => {
  const { server } = await open(context);
  const create = async (fields: object) =>
    await server.request("POST", "/agents", { name: "Ada", ...fields });
  const bad = {
    voiceId: "kokoro/nobody",
    fallbackVoiceId: "elevenlabs/rachel",
    language: "de",
    llmModel: "anthropic/claude",
  };
  for (const [field, value] of Object.entries(bad))
    assertRefused(await create({ [field]: value }), "invalid_body", field);
  const made = await create({ voiceId: "kokoro/am_adam", fallbackVoiceId: "dittli/male", language: "en-GB" });
  assert.equal(made.status, 201);
  const { data }: { data: { id: string } } = JSON.parse(JSON.stringify(made.body));
  const path = `/agents/${data.id}`;
  for (const [field, value] of Object.entries(bad))
    assertRefused(await server.request("PATCH", path, { [field]: value }), "invalid_body", field);
  await storeAgentFields(server, data.id, bad);
  assert.equal((await server.request("PATCH", path, { ...bad, name: "Bea" })).status, 200);
  assert.equal((await server.request("PATCH", path, { voiceId: null, language: "en" })).status, 200);
  assertRefused(await server.request("POST", `${path}/revisions/2/restore`), "restore_invalid", "voiceId");
});
