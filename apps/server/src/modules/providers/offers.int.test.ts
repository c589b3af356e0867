/** The voices, models and languages of vendors, by servers that speak their wire formats. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type AgentConfiguration, agentFields, mergeFields } from "@parley/contract";
import { startScriptedElevenLabs, startScriptedOpenAi } from "@parley/providers/testing";
import { systemClock } from "../../platform/clock.ts";
import { parseConfig } from "../../platform/config/config.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { AgentChoices } from "./agent-choices.ts";
import { ModelCatalog } from "./model-catalog.ts";
import { type CustomVoices, OfferedVoices } from "./offered-voices.ts";
import { VoiceCatalog } from "./voice-catalog.ts";
import { VoicePreviews } from "./voice-previews.ts";

const KEY = "the right key";
const ORGANIZATION = "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11";
const noCustomVoices: CustomVoices = {
  list: async () => [],
  find: async () => undefined,
  isClone: async () => false,
  resolve: async (_organizationId, fields) => fields,
};
const logger = createLogger({ level: "silent" });

function offersOf(context: TestContext, environment: Readonly<Record<string, string>>) {
  const { config } = parseConfig(environment);
  const resources = { clock: systemClock, logger };
  const fit = () => undefined;
  const catalog = new VoiceCatalog({ config, fit, ...resources });
  const voices = new OfferedVoices(catalog, noCustomVoices);
  const models = new ModelCatalog({ settings: config, ...resources });
  const previews = new VoicePreviews({ config, voices, inferencePath: "/nowhere", fit });
  context.after(async () => {
    catalog.close();
    models.close();
    await previews.close();
  });
  return { voices, models, previews, choices: new AgentChoices({ config, voices, models }) };
}

const elevenLabsAt = (url: string, apiKey = KEY) => ({
  PARLEY_TTS: "elevenlabs",
  ELEVENLABS_API_KEY: apiKey,
  ELEVENLABS_BASE_URL: url,
  PARLEY_STT: "deepgram",
  DEEPGRAM_API_KEY: KEY,
});

const standard = mergeFields(agentFields, undefined, { name: "Ada" });

/** `path: message` of each problem of an agent with these fields. */
async function problemsOf(
  choices: AgentChoices,
  change: Partial<AgentConfiguration>,
  before: AgentConfiguration = standard,
): Promise<string[]> {
  const issues = await choices.findProblems(ORGANIZATION, { ...before, ...change }, before);
  return issues.map(({ path, message }) => `${path}: ${message}`);
}

test("all pages of a vendor's voices are listed, with the vendor's default", async (context) => {
  const server = await startScriptedElevenLabs({
    apiKey: KEY,
    voices: [
      { voice_id: "a", name: "Ada", category: "premade", labels: { gender: "female", language: "en-GB" } },
      { voice_id: "b", name: "Bea", category: "cloned" },
      { voice_id: "c", name: "Cid", labels: { gender: "male" } },
    ],
  });
  context.after(async () => await server.close());
  const { voices } = offersOf(context, elevenLabsAt(server.url));
  const all = await voices.list(ORGANIZATION);
  assert.deepEqual(
    all.map(({ id, isDefault }) => [id, isDefault]),
    [
      ["elevenlabs/21m00Tcm4TlvDq8ikWAM", true],
      ["elevenlabs/a", false],
      ["elevenlabs/b", false],
      ["elevenlabs/c", false],
    ],
  );
  assert.partialDeepStrictEqual(all[1], {
    displayName: "Ada",
    language: "en-GB",
    source: "provider",
    gender: "female",
    category: "standard",
    status: "ready",
  });
  assert.deepEqual(
    (await voices.list(ORGANIZATION, { category: "cloned" })).map(({ id }) => id),
    ["elevenlabs/b"],
  );
  assert.deepEqual(
    (await voices.list(ORGANIZATION, { search: "cI" })).map(({ id }) => id),
    ["elevenlabs/c"],
  );
  assert.equal((await voices.list(ORGANIZATION, { language: "de-CH" })).length, 4);
  assert.deepEqual(await voices.list(ORGANIZATION, { language: "xx" }), []);
});

test("a voice that the vendor has but does not list is accepted, an unknown one is refused with what there is", async (context) => {
  const server = await startScriptedElevenLabs({ apiKey: KEY });
  context.after(async () => await server.close());
  const { choices, voices } = offersOf(context, elevenLabsAt(server.url));
  assert.deepEqual(await problemsOf(choices, { voiceId: "elevenlabs/rachel", language: "de" }), []);
  const [problem = "", ...others] = await problemsOf(choices, { fallbackVoiceId: "elevenlabs/nobody" });
  assert.match(problem, /^fallbackVoiceId: is no voice of this server: choose one of .*elevenlabs\/rachel/);
  assert.deepEqual(others, []);
  // Local voices are not loaded.
  assert.match((await problemsOf(choices, { voiceId: "kokoro/af_heart" }))[0] ?? "", /^voiceId: is no voice/);
  assert.equal(await voices.find(ORGANIZATION, "elevenlabs/"), undefined);
  const stored = { ...standard, voiceId: "elevenlabs/nobody" };
  assert.deepEqual(await problemsOf(choices, { name: "Bea", language: "de" }, stored), []);
});

test("while a vendor does not answer its voices and models are accepted unseen", async (context) => {
  const gone = {
    ...elevenLabsAt("http://127.0.0.1:9"),
    PARLEY_LLM_BASE_URL: "http://127.0.0.1:9",
    PARLEY_LLM_MODEL: "m",
  };
  const { choices, voices, models } = offersOf(context, gone);
  assert.deepEqual(
    await problemsOf(choices, { voiceId: "elevenlabs/any", llmModel: "openai-compatible/any" }),
    [],
  );
  assert.match(
    (await problemsOf(choices, { llmModel: "anthropic/claude" }))[0] ?? "",
    /^llmModel: is not configured/,
  );
  assert.deepEqual(
    (await voices.list(ORGANIZATION)).map(({ isDefault }) => isDefault),
    [true],
  );
  assert.deepEqual(
    (await models.list()).map(({ id, displayName }) => [id, displayName]),
    [["service-standard", "m"]],
  );
});

test("the models of the configured server can be named, also one that was installed a moment ago", async (context) => {
  const installed = ["small", "vendor/large"];
  const server = await startScriptedOpenAi({ apiKey: KEY, reply: () => ({}), models: () => installed });
  context.after(async () => await server.close());
  const { choices, models } = offersOf(context, {
    PARLEY_LLM_BASE_URL: `${server.url}/v1`,
    PARLEY_LLM_API_KEY: KEY,
    PARLEY_LLM_MODEL: "small",
  });
  assert.deepEqual(
    (await models.list()).map(({ id }) => id),
    ["service-standard", "openai-compatible/small", "openai-compatible/vendor/large"],
  );
  const choose = async (llmModel: string) => await problemsOf(choices, { llmModel });
  assert.deepEqual(await choose("openai-compatible/vendor/large"), []);
  assert.deepEqual(await choose("openai-compatible/new"), [
    "llmModel: is not configured: choose one of service-standard, openai-compatible/small, openai-compatible/vendor/large",
  ]);
  installed.push("new");
  assert.deepEqual(await choose("openai-compatible/new"), []);
});

test("without a language model the only model is the built-in responder, which says what to do", async (context) => {
  const { choices, models } = offersOf(context, {});
  const [only, ...others] = await models.list();
  assert.deepEqual([only?.id, only?.isLanguageModel, others], ["service-standard", false, []]);
  assert.match(only?.hint ?? "", /OPENAI_API_KEY/);
  assert.match(
    (await problemsOf(choices, { llmModel: "openai-compatible/x" }))[0] ?? "",
    /service-standard$/,
  );
});

test("a model file says that it may not call tools, without counting as no language model", async (context) => {
  const { models } = offersOf(context, { PARLEY_LLM_GGUF: "/models/small.gguf" });
  const [only] = await models.list();
  assert.deepEqual([only?.displayName, only?.isLanguageModel], ["small.gguf", true]);
  assert.match(only?.hint ?? "", /calls tools depends on the model/);
  assert.equal(models.hint, undefined);
});

test("a language must be heard and spoken; the problem is at the field that changes", async (context) => {
  const { choices } = offersOf(context, {});
  const german = await problemsOf(choices, { language: "de" });
  assert.match(
    german[0] ?? "",
    /^language: is not understood by the configured speech recognition \(local\), which understands en$/,
  );
  assert.match(
    german[1] ?? "",
    /^language: is not spoken by the agent's voice: the voice kokoro\/af_heart speaks only en/,
  );
  assert.deepEqual(await problemsOf(choices, { language: "en-AU" }), []);
  const stored = { ...standard, language: "de" };
  assert.deepEqual(await problemsOf(choices, { name: "Bea" }, stored), []);
  assert.match(
    (await problemsOf(choices, { voiceId: "kokoro/am_adam" }, stored))[0] ?? "",
    /^voiceId: must speak de/,
  );
});

test("a preview is a sentence in a WAV file, synthesized once", async (context) => {
  const server = await startScriptedElevenLabs({ apiKey: KEY });
  context.after(async () => await server.close());
  const { previews } = offersOf(context, elevenLabsAt(server.url));
  const [file, again] = await Promise.all([
    previews.preview(ORGANIZATION, "elevenlabs/rachel", "de"),
    previews.preview(ORGANIZATION, "elevenlabs/rachel", "de"),
  ]);
  assert.equal(Buffer.from(file).subarray(0, 4).toString(), "RIFF");
  assert.equal(again, file);
  assert.deepEqual(
    server.stats.exchanges.map(({ conversation }) => conversation).join(" "),
    "Hallo, so klinge ich am Telefon. Wie kann ich Ihnen helfen?",
  );
  // 60 ms for each character, 16 kHz, 2 bytes.
  assert.ok(file.length > 50 * 60 * 32, `${file.length} bytes`);
  await assert.rejects(previews.preview(ORGANIZATION, "elevenlabs/nobody", undefined), { code: "not_found" });
  await assert.rejects(previews.preview(ORGANIZATION, "elevenlabs/rachel", "xx"), { code: "invalid_query" });
});
