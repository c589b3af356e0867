import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startScriptedOpenAi } from "@parley/providers/testing";
import { parseConfig } from "../platform/config/config.ts";
import { addOllama } from "./find-ollama.ts";

async function startOllama(context: TestContext, models: readonly string[]): Promise<string> {
  const server = await startScriptedOpenAi({ reply: () => ({ text: "Yes." }), models: () => models });
  context.after(async () => await server.close());
  return server.url;
}

test("an Ollama on this machine is found, and its first model that can answer becomes the language model", async (context) => {
  const url = await startOllama(context, ["nomic-embed-text:latest", "llama3.2:3b", "qwen3:8b"]);
  const { config, found } = await addOllama(parseConfig({}).config, url);
  assert.deepEqual(config.languageModel, { provider: "ollama", model: "llama3.2:3b" });
  assert.deepEqual(config.providerAccess, { ollama: { baseUrl: url } });
  assert.match(found ?? "", /llama3\.2:3b/);
});

test("it does not replace a configured model, and one without models is no language model", async (context) => {
  const configured = parseConfig({ ANTHROPIC_API_KEY: "key" }).config;
  const url = await startOllama(context, ["llama3.2:3b"]);
  const { config } = await addOllama(configured, url);
  assert.deepEqual(config.languageModel, { provider: "anthropic", model: "claude-haiku-4-5" });
  assert.deepEqual(config.providerAccess.ollama, { baseUrl: url });
  const empty = await addOllama(parseConfig({}).config, await startOllama(context, []));
  assert.equal(empty.config.languageModel.provider, "builtin-responder");
});

test("without an Ollama, or with one at a given URL, nothing changes", async () => {
  const { config } = parseConfig({});
  assert.equal((await addOllama(config, "http://127.0.0.1:9")).config, config);
  const given = parseConfig({ OLLAMA_BASE_URL: "http://box:11434", PARLEY_LLM_MODEL: "qwen3:8b" }).config;
  assert.deepEqual(given.languageModel, { provider: "ollama", model: "qwen3:8b" });
  assert.equal((await addOllama(given, "http://127.0.0.1:9")).config, given);
});
