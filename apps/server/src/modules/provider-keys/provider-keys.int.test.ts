/** Keys of organizations, with servers that speak the vendors' wire formats. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Model, ProviderCheck, ProviderKey, ProviderState, Voice } from "@parley/contract";
import { startScriptedElevenLabs, startScriptedOpenAi } from "@parley/providers/testing";
import { sql } from "drizzle-orm";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, openTestCall } from "../testing.ts";

const KEY = "sk-organization-1234";

async function setUp(context: TestContext) {
  const openAi = await startScriptedOpenAi({
    apiKey: KEY,
    reply: () => ({ text: "Hello." }),
    models: () => ["gpt-4o-mini", "large"],
  });
  const elevenLabs = await startScriptedElevenLabs({
    apiKey: KEY,
    voices: [{ voice_id: "ada", name: "Zelda", category: "premade" }],
  });
  const server = await createTestServer({
    providerVariables: { ELEVENLABS_BASE_URL: elevenLabs.url, DEEPGRAM_BASE_URL: "http://127.0.0.1:9" },
  });
  context.after(async () => {
    await server.close();
    await openAi.close();
    await elevenLabs.close();
  });
  const read = async <T>(method: "GET" | "POST", url: string, apiKey?: string): Promise<T> => {
    const { status, body } = await server.request(method, url, undefined, apiKey);
    assert.ok(status < 300, JSON.stringify(body));
    const { data }: { data: T } = JSON.parse(JSON.stringify(body));
    return data;
  };
  const put = async (provider: string, apiKey: string) =>
    await server.request("POST", "/provider-keys", { provider, apiKey });
  return { server, read, put, elevenLabs };
}

test("a key is checked at the provider, stored encrypted and never shown", async (context) => {
  const { server, put, read } = await setUp(context);
  assertRefused(await put("elevenlabs", "sk-wrong-0000"), "invalid_body", "apiKey");
  assertRefused(await put("deepgram", KEY), "provider_unreachable");
  for (const provider of ["ollama", "nobody", "__proto__"])
    assertRefused(await put(provider, KEY), "invalid_body", "provider");
  assert.deepEqual(await read<ProviderKey[]>("GET", "/provider-keys"), []);
  const { status, body } = await put("elevenlabs", KEY);
  assert.equal(status, 201);
  assert.doesNotMatch(JSON.stringify(body), /sk-organization/);
  const [stored, ...others] = await read<ProviderKey[]>("GET", "/provider-keys");
  assert.deepEqual([stored?.provider, stored?.last4, others.length], ["elevenlabs", "1234", 0]);
  const { rows } = await server.database.execute(sql`select encrypted_api_key from provider_keys`);
  assert.doesNotMatch(JSON.stringify(rows), /sk-organization/);
  // The same provider again: replaced, with the same id.
  await Promise.all([put("elevenlabs", KEY), put("elevenlabs", KEY)]);
  assert.deepEqual(
    (await read<ProviderKey[]>("GET", "/provider-keys")).map(({ id }) => id),
    [stored?.id],
  );
});

test("voices and agents of the organization use its key, those of others do not, and not after its deletion", async (context) => {
  const { server, put, read } = await setUp(context);
  const other = await server.createOrganization();
  const namesOf = async (apiKey?: string): Promise<string[]> =>
    (await read<Voice[]>("GET", "/voices?search=zelda", apiKey)).map(({ id }) => id);
  assert.deepEqual(await namesOf(), []);
  await put("elevenlabs", KEY);
  assert.deepEqual(await namesOf(), ["elevenlabs/ada"]);
  assert.deepEqual(await namesOf(other.apiKey), []);
  const agent = { name: "Ada", voiceId: "elevenlabs/ada" };
  assert.equal((await server.request("POST", "/agents", agent)).status, 201);
  assertRefused(await server.request("POST", "/agents", agent, other.apiKey), "invalid_body", "voiceId");
  const own = await server.modules.providerKeys.findOwn(server.organizationId);
  assert.equal(own?.providerAccess.elevenlabs?.apiKey, KEY);
  assert.equal(await server.modules.providerKeys.findOwn(other.organizationId), undefined);
  const [key] = await read<ProviderKey[]>("GET", "/provider-keys");
  assert.equal((await server.request("DELETE", `/provider-keys/${key?.id}`)).status, 200);
  assert.deepEqual(await namesOf(), []);
});

test("with a model of its own an organization is no longer warned that it has none", async (context) => {
  const model = await startScriptedOpenAi({ apiKey: KEY, reply: () => ({}), models: () => ["gpt-4o-mini"] });
  const server = await createTestServer({ providerVariables: { ANTHROPIC_BASE_URL: `${model.url}/v1` } });
  context.after(async () => {
    await server.close();
    await model.close();
  });
  const warning = async (): Promise<unknown> =>
    (await server.app.inject({ url: "/v1/agents", headers: { "x-api-key": server.apiKey } })).headers[
      "x-parley-warning"
    ];
  assert.match(String(await warning()), /^No language model/);
  // Stored as after a check: the scripted server has another wire format.
  const { encryption, organizationId, database } = server;
  const encrypted = encryption.encrypt(KEY, `provider_keys/${organizationId}/anthropic`);
  await database.execute(
    sql`insert into provider_keys (organization_id, provider, encrypted_api_key, last4) values (${organizationId}, 'anthropic', ${encrypted}, '1234')`,
  );
  assert.equal(await warning(), undefined);
  const { body } = await server.request("GET", "/models");
  const { data }: { data: Model[] } = JSON.parse(JSON.stringify(body));
  assert.equal(data[0]?.isLanguageModel, true);
});

test("the list of providers names the source of the key, the host, and the failures of the organization's calls", async (context) => {
  const { server, put, read } = await setUp(context);
  await put("elevenlabs", KEY);
  const { callId } = await openTestCall(server);
  const failure = { part: "tts", kind: "timeout", message: "no audio", takenOverBy: null } as const;
  const now = Date.now();
  for (const [id, minutes] of [
    ["a", 1],
    ["b", 90],
    ["c", 60 * 30],
  ] as const) {
    const at = new Date(now - minutes * 60_000).toISOString();
    const provider = "elevenlabs/eleven_flash_v2_5";
    await server.modules.calls.recordProviderFailure(callId, { ...failure, id, at, provider });
  }
  const stateOf = async (apiKey?: string): Promise<ProviderState | undefined> =>
    (await read<ProviderState[]>("GET", "/providers", apiKey)).find(({ id }) => id === "elevenlabs");
  const state = await stateOf();
  assert.deepEqual(
    [state?.source, state?.last4, state?.parts, state?.failuresLastHour, state?.lastFailure?.id],
    ["organization", "1234", ["tts"], 1, "a"],
  );
  assert.match(state?.host ?? "", /^127\.0\.0\.1:\d+$/);
  const foreign = await stateOf((await server.createOrganization()).apiKey);
  assert.deepEqual([foreign?.source, foreign?.failuresLastHour, foreign?.lastFailure], [null, 0, null]);
});

test("a check says whether the provider accepts the key, and how long it took to answer", async (context) => {
  const { server, put, read, elevenLabs } = await setUp(context);
  const check = async (provider: string): Promise<ProviderCheck> =>
    await read<ProviderCheck>("POST", `/providers/${provider}/check`);
  assert.deepEqual((await check("elevenlabs")).problem, "not_configured");
  await put("elevenlabs", KEY);
  const good = await check("elevenlabs");
  assert.ok(good.isOk && good.problem === null && good.latencyMs !== null && good.latencyMs >= 0);
  assertRefused(await server.request("POST", "/providers/nobody/check"), "not_found");
  await elevenLabs.close();
  const gone = await check("elevenlabs");
  assert.deepEqual([gone.isOk, gone.problem, gone.latencyMs], [false, "provider_unreachable", null]);
});
