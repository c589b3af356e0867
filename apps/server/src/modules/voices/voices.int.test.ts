/** Voices that organizations create: their life by the API, and what agents speak with. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { Agent, CreatedVoice, Voice } from "@parley/contract";
import { parseShapedVoice } from "@parley/providers/fit";
import { startScriptedElevenLabs } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { Jobs } from "../../platform/jobs/jobs.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { FolderStorage } from "../../platform/object-storage/folder-storage.ts";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, type TestResponse, type TestServerOptions } from "../testing.ts";
import { cloneVoiceJob } from "./voices.jobs.ts";
import { readMan, sendVoice, toWav } from "./testing.ts";

async function open(context: TestContext, options: Partial<TestServerOptions> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-voices-"));
  const storage = new FolderStorage({ folder, isShared: true, signingKeys: [], origin: () => "" });
  const server = await createTestServer({ storage, ...options });
  context.after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const file = toWav(await readMan());
  const create = async (fields: Record<string, string> = {}, apiKey?: string): Promise<CreatedVoice> => {
    const answer = await sendVoice(server, {
      file,
      fields: { displayName: "Ada", ...fields },
      ...(apiKey !== undefined && { apiKey }),
    });
    return dataOf<CreatedVoice>(answer, 201);
  };
  const listSamples = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".wav"));
  return { server, create, listSamples };
}

function dataOf<T>({ status, body }: TestResponse, expected = 200): T {
  const text = JSON.stringify(body);
  assert.equal(status, expected, text);
  const { data }: { data: T } = JSON.parse(text);
  return data;
}

test("a voice is listed, renamed and deleted with its recording, by its organization alone", async (context) => {
  const { server, create, listSamples } = await open(context);
  const voice = await create({ consent: "She agreed in writing." });
  const foreign = await server.createOrganization();
  const list = async (query = "", apiKey?: string) =>
    dataOf<Voice[]>(await server.request("GET", `/voices${query}`, undefined, apiKey)).filter(
      ({ source }) => source === "custom",
    );
  const { tier, ...listed } = voice;
  assert.equal(tier, "standard");
  assert.deepEqual(await list(), [listed]);
  assert.deepEqual(await list("?search=aDA&category=cloned&language=en"), [listed]);
  assert.deepEqual(await list("?search=bob"), []);
  assert.deepEqual(await list("?category=standard"), []);
  assert.deepEqual(await list("", foreign.apiKey), []);
  const url = `/voices/${voice.id}`;
  for (const method of ["GET", "PATCH", "DELETE"] as const)
    assertRefused(
      await server.request(method, url, method === "GET" ? undefined : {}, foreign.apiKey),
      "not_found",
    );
  assertRefused(
    await server.request("PATCH", "/voices/kokoro%2Faf_heart", { displayName: "X" }),
    "not_found",
  );
  assertRefused(await server.request("DELETE", "/voices/kokoro%2Faf_heart"), "not_found");
  assert.equal(
    dataOf<Voice>(await server.request("PATCH", url, { ...listed, displayName: "Bea" })).displayName,
    "Bea",
  );
  assertRefused(await server.request("PATCH", url, { displayName: " " }), "invalid_body", "displayName");
  const audit = dataOf<{ action: string; targetId: string; detail: string | null }[]>(
    await server.request("GET", "/audit-log?action=createVoice"),
  );
  assert.deepEqual(
    audit.map(({ targetId, detail }) => [targetId, detail]),
    [[voice.id, "Consent: She agreed in writing."]],
  );
  assert.equal((await listSamples()).length, 1);
  dataOf(await server.request("DELETE", url));
  assert.deepEqual(await list(), []);
  assertRefused(await server.request("GET", url), "not_found");
  await server.modules.voiceCloning.discard(voice.id);
  await server.modules.voiceCloning.discard(voice.id);
  assert.deepEqual(await listSamples(), []);
});

test("agents speak with the local voice of an approximation; without the voice, with their fallback, then the default", async (context) => {
  const { server, create } = await open(context);
  const voice = await create();
  const other = await create({ displayName: "Other" });
  const foreign = await server.createOrganization();
  assertRefused(
    await server.request("POST", "/agents", { name: "Spy", voiceId: voice.id }, foreign.apiKey),
    "invalid_body",
    "voiceId",
  );
  const agent = dataOf<Agent>(
    await server.request("POST", "/agents", { name: "Ada", voiceId: voice.id, fallbackVoiceId: other.id }),
    201,
  );
  const resolve = async () => {
    const entry = { kind: "browser_test" as const, environment: null };
    const { document } = await server.modules.agentResolution.resolveAgent(
      server.organizationId,
      agent.id,
      entry,
    );
    return [document.voiceId, document.fallbackVoiceId] as const;
  };
  const [spoken, fallback] = await resolve();
  const { voice: local, pitch, rate } = parseShapedVoice(spoken ?? "");
  // The reader's pitch is 100 Hz.
  assert.match(local, /^kokoro\/[ab]m_/);
  assert.ok(pitch > 0.8 && pitch < 1.2 && rate > 0.75 && rate < 1.3, spoken ?? "");
  assert.equal(fallback, spoken);
  dataOf(await server.request("DELETE", `/voices/${voice.id}`));
  assert.deepEqual(await resolve(), [spoken, spoken]);
  dataOf(await server.request("DELETE", `/voices/${other.id}`));
  assert.deepEqual(await resolve(), [null, null]);
  // What is stored stays, and does not block other changes.
  const renamed = dataOf<Agent>(await server.request("PATCH", `/agents/${agent.id}`, { name: "Bea" }));
  assert.deepEqual([renamed.voiceId, renamed.fallbackVoiceId], [voice.id, other.id]);
});

test("ElevenLabs clones a voice for its organization alone, and its copy is deleted with it", async (context) => {
  const account: { voice_id: string; name: string }[] = [];
  const refusals: number[] = [];
  const vendor = await startScriptedElevenLabs({
    apiKey: "key",
    voices: account,
    refuseClone: () => refusals.shift(),
  });
  context.after(async () => await vendor.close());
  const { server, create, listSamples } = await open(context, {
    providerVariables: {
      PARLEY_TTS: "elevenlabs",
      ELEVENLABS_API_KEY: "key",
      ELEVENLABS_BASE_URL: vendor.url,
    },
  });
  const { voiceCloning } = server.modules;
  const get = async (id: string) => dataOf<Voice>(await server.request("GET", `/voices/${id}`));
  const voice = await create({ language: "de" });
  assert.deepEqual([voice.status, voice.isApproximation], ["processing", false]);
  const useIt = { name: "Ada", voiceId: voice.id };
  assertRefused(await server.request("POST", "/agents", useIt), "invalid_body", "voiceId");
  // A busy provider is asked again.
  refusals.push(503, 429);
  await assert.rejects(voiceCloning.clone(voice.id));
  await assert.rejects(voiceCloning.clone(voice.id));
  assert.equal((await get(voice.id)).status, "processing");
  await voiceCloning.clone(voice.id);
  await voiceCloning.clone(voice.id);
  assert.equal((await get(voice.id)).status, "ready");
  assert.equal(account.length, 1);
  assert.match(account[0]?.name ?? "", new RegExp(`^Ada \\[parley ${voice.id}\\]$`));
  const agent = dataOf<Agent>(await server.request("POST", "/agents", useIt), 201);
  assert.equal(agent.voiceId, voice.id);
  const cloneId = `elevenlabs/${account[0]?.voice_id}`;
  const foreign = await server.createOrganization();
  const ids = dataOf<Voice[]>(await server.request("GET", "/voices", undefined, foreign.apiKey)).map(
    ({ id }) => id,
  );
  assert.ok(!ids.includes(cloneId) && !ids.includes(voice.id), ids.join());
  assertRefused(
    await server.request("GET", `/voices/${encodeURIComponent(cloneId)}`, undefined, foreign.apiKey),
    "not_found",
  );
  const refused = await create({ displayName: "Refused" });
  refusals.push(400);
  await voiceCloning.clone(refused.id);
  const failed = await get(refused.id);
  assert.deepEqual([failed.status, /status 400/.test(failed.statusReason ?? "")], ["failed", true]);
  for (const id of [voice.id, refused.id]) {
    dataOf(await server.request("DELETE", `/voices/${id}`));
    await voiceCloning.discard(id);
  }
  assert.deepEqual([account, await listSamples()], [[], []]);
});

test("a voice that is deleted while it is cloned leaves no copy, whichever job ends first", async (context) => {
  const account: { voice_id: string; name: string }[] = [];
  let duringClone = async (): Promise<void> => {};
  const vendor = await startScriptedElevenLabs({
    voices: account,
    refuseClone: async () => {
      await duringClone();
      return undefined;
    },
  });
  context.after(async () => await vendor.close());
  const { server, create, listSamples } = await open(context, {
    providerVariables: {
      PARLEY_TTS: "elevenlabs",
      ELEVENLABS_API_KEY: "key",
      ELEVENLABS_BASE_URL: vendor.url,
    },
  });
  const { voiceCloning } = server.modules;
  for (const isDiscardedFirst of [false, true]) {
    const voice = await create();
    duringClone = async () => {
      await server.request("DELETE", `/voices/${voice.id}`);
      if (isDiscardedFirst) await voiceCloning.discard(voice.id);
    };
    await voiceCloning.clone(voice.id);
    await voiceCloning.discard(voice.id);
    assert.deepEqual([account, await listSamples()], [[], []]);
  }
});

test("with a key of its own an organization clones in its own account, and the voice says when that key is gone", async (context) => {
  const account: { voice_id: string; name: string }[] = [];
  const refusals: number[] = [];
  const vendor = await startScriptedElevenLabs({
    apiKey: "key-of-organization",
    voices: account,
    refuseClone: () => refusals.shift(),
  });
  context.after(async () => await vendor.close());
  const { server, create, listSamples } = await open(context, {
    providerVariables: { ELEVENLABS_BASE_URL: vendor.url },
  });
  const { voiceCloning, customVoices } = server.modules;
  const { organizationId } = server;
  const stateOf = async (id: string): Promise<[string, string | null]> => {
    const { status, statusReason } = dataOf<Voice>(await server.request("GET", `/voices/${id}`));
    return [status, statusReason];
  };
  const spokenFor = async (voiceId: string): Promise<string | null> =>
    (await customVoices.resolve(organizationId, { voiceId, fallbackVoiceId: null })).voiceId;
  const putKey = async (): Promise<string> => {
    const key = { provider: "elevenlabs", apiKey: "key-of-organization" };
    return dataOf<{ id: string }>(await server.request("POST", "/provider-keys", key), 201).id;
  };
  assert.equal((await create({ displayName: "Before" })).isApproximation, true);
  const keyId = await putKey();
  const voice = await create();
  assert.deepEqual([voice.status, voice.isApproximation], ["processing", false]);
  await voiceCloning.clone(voice.id);
  assert.deepEqual([await stateOf(voice.id), account.length], [["ready", null], 1]);
  const cloneId = `elevenlabs/${account[0]?.voice_id}`;
  assert.equal(await spokenFor(voice.id), cloneId);
  // The settings of the clone's provider apply, not those of the default voice.
  const lively = { name: "Lively", voiceId: voice.id, voiceTemperature: 0.9 };
  dataOf(await server.request("POST", "/agents", lively), 201);
  assertRefused(
    await server.request("POST", "/agents", { ...lively, voiceId: null }),
    "invalid_body",
    "voiceTemperature",
  );
  // Another organization approximates.
  const { apiKey } = await server.createOrganization();
  assert.equal((await create({}, apiKey)).isApproximation, true);

  dataOf(await server.request("DELETE", `/provider-keys/${keyId}`));
  const [status, reason] = await stateOf(voice.id);
  assert.equal(status, "failed");
  assert.match(reason ?? "", /key at ElevenLabs, which has been deleted/);
  assert.equal(await spokenFor(voice.id), null);
  assertRefused(
    await server.request("POST", "/agents", { name: "Ada", voiceId: voice.id }),
    "invalid_body",
    "voiceId",
  );

  // A key of another account, which does not have the clone; then one of the first account again.
  const clones = account.splice(0);
  await putKey();
  await voiceCloning.verify({ organizationId, provider: "elevenlabs" });
  assert.match((await stateOf(voice.id))[1] ?? "", /does not have this voice/);
  account.push(...clones);
  await voiceCloning.verify({ organizationId, provider: "elevenlabs" });
  assert.deepEqual(await stateOf(voice.id), ["ready", null]);
  assert.equal(await spokenFor(voice.id), cloneId);

  const refused = await create({ displayName: "Refused" });
  refusals.push(401);
  await voiceCloning.clone(refused.id);
  assert.match((await stateOf(refused.id))[1] ?? "", /401.*Check the key/);
  for (const id of [voice.id, refused.id]) {
    dataOf(await server.request("DELETE", `/voices/${id}`));
    await voiceCloning.discard(id);
  }
  assert.deepEqual(account, []);
  // Those of the two approximations remain.
  assert.equal((await listSamples()).length, 2);
});

test("a clone is found in an account whose list of voices ends before it", async (context) => {
  const account: { voice_id: string; name: string }[] = [];
  const vendor = await startScriptedElevenLabs({ voices: account });
  context.after(async () => await vendor.close());
  const { server, create } = await open(context, { providerVariables: { ELEVENLABS_BASE_URL: vendor.url } });
  const { voiceCloning } = server.modules;
  const key = { provider: "elevenlabs", apiKey: "key-of-organization" };
  dataOf(await server.request("POST", "/provider-keys", key), 201);
  const voices: CreatedVoice[] = [];
  // More than are asked about at once.
  for (let index = 0; index < 5; index++) {
    const voice = await create({ displayName: `Ada ${index}` });
    await voiceCloning.clone(voice.id);
    voices.push(voice);
  }
  const [gone] = account.splice(0, 1);
  // 30 pages, of which the adapter reads 20.
  account.unshift(...Array.from({ length: 60 }, (_, at) => ({ voice_id: `other${at}`, name: "Other" })));
  await voiceCloning.verify({ organizationId: server.organizationId, provider: "elevenlabs" });
  const states = await Promise.all(
    voices.map(async ({ id }) => dataOf<Voice>(await server.request("GET", `/voices/${id}`)).status),
  );
  assert.deepEqual([gone !== undefined, ...states], [true, "failed", "ready", "ready", "ready", "ready"]);
});

test("a clone of the operator's account is not spoken with the organization's own key there", async (context) => {
  const account: { voice_id: string; name: string }[] = [];
  const vendor = await startScriptedElevenLabs({ voices: account });
  context.after(async () => await vendor.close());
  const { server, create } = await open(context, {
    providerVariables: { ELEVENLABS_API_KEY: "key", ELEVENLABS_BASE_URL: vendor.url },
  });
  const { voiceCloning, customVoices } = server.modules;
  const voice = await create();
  await voiceCloning.clone(voice.id);
  const key = { provider: "elevenlabs", apiKey: "key-of-organization" };
  dataOf(await server.request("POST", "/provider-keys", key), 201);
  const { status, statusReason } = dataOf<Voice>(await server.request("GET", `/voices/${voice.id}`));
  assert.deepEqual([status, /operator's key/.test(statusReason ?? "")], ["failed", true]);
  const choice = { voiceId: voice.id, fallbackVoiceId: null };
  assert.equal((await customVoices.resolve(server.organizationId, choice)).voiceId, null);
  // It is deleted with the operator's key all the same.
  dataOf(await server.request("DELETE", `/voices/${voice.id}`));
  await voiceCloning.discard(voice.id);
  assert.deepEqual(account, []);
});

test("a node that starts later finishes the cloning that another one began", async (context) => {
  const vendor = await startScriptedElevenLabs({ voices: [] });
  context.after(async () => await vendor.close());
  const testDatabase = await createTestDatabase();
  const { connectionString } = testDatabase;
  const logger = createLogger({ level: "silent" });
  const first = await Jobs.start({ connectionString, logger });
  const { server, create } = await open(context, {
    testDatabase,
    jobs: first,
    providerVariables: {
      PARLEY_TTS: "elevenlabs",
      ELEVENLABS_API_KEY: "key",
      ELEVENLABS_BASE_URL: vendor.url,
    },
  });
  const kind = cloneVoiceJob(server.modules.voiceCloning);
  const ended = Promise.withResolvers<void>();
  const end = async (): Promise<never> => {
    ended.resolve();
    return await Promise.reject(new Error("the node ends"));
  };
  await first.work({ ...kind, run: end });
  const voice = await create();
  await ended.promise;
  await first.close();
  const second = await Jobs.start({ connectionString, logger });
  await second.work(kind);
  const isReady = async (): Promise<boolean> => {
    const { status } = dataOf<Voice>(await server.request("GET", `/voices/${voice.id}`));
    return status === "ready";
  };
  await waitFor("the clone", isReady);
  await second.close();
});
