import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { startScriptedOpenAi } from "@parley/providers/testing";
import { createLogger } from "../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { findModelProblem, LanguageModelCheck } from "./language-model-check.ts";

const KEY = "sk-the-right-one";
const { signal } = new AbortController();

function modelAt(url: string, apiKey?: string) {
  return {
    provider: "openai-compatible" as const,
    model: "small",
    access: { baseUrl: `${url}/v1`, apiKey },
  };
}

test("an answering model has no problem; a wrong or missing key is reported without showing it", async () => {
  const server = await startScriptedOpenAi({ apiKey: KEY, reply: () => ({ text: "Hello." }) });
  try {
    assert.equal(await findModelProblem(modelAt(server.url, KEY), signal), undefined);
    const wrong = await findModelProblem(modelAt(server.url, "sk-another"), signal);
    assert.match(wrong ?? "", /rejects the API key .*401.*PARLEY_LLM_API_KEY or OPENAI_API_KEY/);
    assert.doesNotMatch(wrong ?? "", /sk-another/);
    assert.match((await findModelProblem(modelAt(server.url), signal)) ?? "", /requires an API key/);
  } finally {
    await server.close();
  }
});

test("a missing model, a failing server and a silent one have different messages", async () => {
  let status = 404;
  const server = createServer((_request, response) => {
    if (status > 0) response.writeHead(status).end("sk-leaked");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  try {
    assert.match(
      (await findModelProblem(modelAt(url), signal)) ?? "",
      /has no language model small.*ollama pull small/,
    );
    status = 500;
    assert.match(
      (await findModelProblem(modelAt(url), signal)) ?? "",
      /returns an error \(HTTP status 500\)$/,
    );
    status = 429;
    assert.match((await findModelProblem(modelAt(url), signal)) ?? "", /quota/);
    // Models without support for `max_tokens` answer like this.
    status = 400;
    assert.equal(await findModelProblem(modelAt(url), signal), undefined);
    status = 0;
    assert.match((await findModelProblem(modelAt(url), signal, 100)) ?? "", /did not answer within 0.1 s/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.match((await findModelProblem(modelAt(url), signal)) ?? "", /cannot be reached \(ECONNREFUSED\)/);
});

test("a rejected key is logged once and reported, and the log contains no key", async () => {
  const server = await startScriptedOpenAi({ apiKey: KEY, reply: () => ({ text: "Hello." }) });
  const lines: string[] = [];
  const logger = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const check = new LanguageModelCheck(modelAt(server.url, "sk-another"), logger);
  try {
    check.start();
    assert.match(await waitFor("the problem", () => check.problem), /rejects the API key/);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /"level":"warn".*rejects the API key/);
    assert.doesNotMatch(lines[0] ?? "", /sk-another/);
  } finally {
    check.close();
    await server.close();
  }
});
