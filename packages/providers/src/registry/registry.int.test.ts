/** Every provider of the registry, against the server that speaks its wire format. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { writeWav } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import {
  startScriptedAnthropic,
  startScriptedCartesia,
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedGoogle,
  startScriptedOpenAi,
  type ScriptedChatOptions,
  type ScriptedServer,
} from "../testing/index.ts";
import { type ProviderId, providerIds, providerKind, splitId, voiceProviderIds } from "./index.ts";

const KEY = "the right key";
const { signal } = new AbortController();
const chat: ScriptedChatOptions = {
  apiKey: KEY,
  reply: () => ({ text: "Yes." }),
  models: () => ["small", "large"],
};

const servers: Readonly<Record<ProviderId, { start: () => Promise<ScriptedServer>; path?: string }>> = {
  cartesia: { start: async () => await startScriptedCartesia({ apiKey: KEY }) },
  deepgram: { start: async () => await startScriptedDeepgram({ apiKey: KEY }) },
  elevenlabs: { start: async () => await startScriptedElevenLabs({ apiKey: KEY }) },
  openai: { start: async () => await startScriptedOpenAi(chat), path: "/v1" },
  "openai-compatible": { start: async () => await startScriptedOpenAi(chat), path: "/v1" },
  anthropic: { start: async () => await startScriptedAnthropic(chat) },
  google: { start: async () => await startScriptedGoogle(chat) },
  ollama: { start: async () => await startScriptedOpenAi(chat) },
};

for (const id of providerIds) {
  const kind = providerKind(id);

  test(`${id}: the right key passes the check, a wrong one and a dead server do not`, async (context) => {
    const server = await servers[id].start();
    context.after(async () => await server.close());
    const baseUrl = `${server.url}${servers[id].path ?? ""}`;
    await kind.checkKey({ baseUrl, apiKey: KEY }, signal);
    await assert.rejects(
      async () => await kind.checkKey({ baseUrl, apiKey: "another" }, signal),
      (error) => error instanceof ProviderError && error.status === 401 && !error.isRetryable,
    );
    const late = AbortSignal.timeout(2_000);
    await assert.rejects(
      async () => await kind.checkKey({ baseUrl: "http://127.0.0.1:9", apiKey: KEY }, late),
      {
        name: "ProviderError",
        kind: "connection",
      },
    );
  });

  const { languageModel } = kind;
  if (languageModel !== undefined)
    test(`${id}: its models are listed, and the probe is answered`, async (context) => {
      const server = await servers[id].start();
      context.after(async () => await server.close());
      const access = { baseUrl: `${server.url}${servers[id].path ?? ""}`, apiKey: KEY };
      assert.deepEqual(await languageModel.listModels(access, signal), ["small", "large"]);
      const { url, headers, body } = languageModel.probe(access, "small");
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      assert.equal((await fetch(url, init)).status, 200);
    });

  const { cloning, hasVoice } = kind.textToSpeech ?? {};
  if (cloning !== undefined && hasVoice !== undefined)
    test(`${id}: a sample is cloned once, and its clone is deleted`, async (context) => {
      const server = await servers[id].start();
      context.after(async () => await server.close());
      const access = { baseUrl: server.url, apiKey: KEY };
      const wav = writeWav({ sampleRateHz: 16_000, channels: 1, pcm: new Int16Array(1_600) });
      const sample = { id: randomUUID(), displayName: "Ada", language: "en-GB", wav };
      const name = await cloning.cloneVoice(access, sample, signal);
      assert.equal(await cloning.cloneVoice(access, sample, signal), name);
      assert.notEqual(await cloning.cloneVoice(access, { ...sample, id: randomUUID() }, signal), name);
      assert.equal(await hasVoice(access, name, signal), true);
      await cloning.deleteVoice(access, name, signal);
      await cloning.deleteVoice(access, name, signal);
      assert.equal(await hasVoice(access, name, signal), false);
      const wrongKey = { ...access, apiKey: "another" };
      await assert.rejects(async () => await cloning.cloneVoice(wrongKey, sample, signal), { status: 401 });
    });

  test(`${id}: its variables are described, and its voice and model ids are told from others`, () => {
    const described = new Set(providerIds.flatMap((each) => Object.keys(providerKind(each).variables)));
    for (const name of [...kind.apiKeyVariables, kind.baseUrlVariable]) assert.ok(described.has(name), name);
    assert.deepEqual(splitId(providerIds, `${id}/a/b`), { provider: id, name: "a/b" });
  });
}

test("voices are listed with their languages", async (context) => {
  const server = await startScriptedDeepgram({ apiKey: KEY });
  context.after(async () => await server.close());
  const voices = await providerKind("deepgram").textToSpeech?.listVoices(
    { baseUrl: server.url, apiKey: KEY },
    signal,
  );
  assert.deepEqual(
    voices?.map(({ name, displayName, language, languages, gender }) => [
      name,
      displayName,
      language,
      languages,
      gender,
    ]),
    [
      ["aura-2-thalia-en", "Thalia", "en-US", ["en"], "female"],
      ["aura-2-julius-de", "Julius", "de-DE", ["de"], "male"],
    ],
  );
  assert.equal(splitId(voiceProviderIds, "openai-compatible/x"), undefined);
});

test("all pages of Cartesia's voices are listed", async (context) => {
  const voices = ["a", "b", "c"].map((id) => ({ id, name: id, language: "en", is_owner: id === "c" }));
  const server = await startScriptedCartesia({ apiKey: KEY, voices });
  context.after(async () => await server.close());
  const access = { baseUrl: server.url, apiKey: KEY };
  const { textToSpeech } = providerKind("cartesia");
  const listed = await textToSpeech?.listVoices(access, signal);
  assert.deepEqual(
    listed?.map(({ name, category }) => [name, category]),
    [
      ["a", "standard"],
      ["b", "standard"],
      ["c", "cloned"],
    ],
  );
  assert.deepEqual(
    await Promise.all(["a", "x"].map(async (name) => await textToSpeech?.hasVoice?.(access, name, signal))),
    [true, false],
  );
});
