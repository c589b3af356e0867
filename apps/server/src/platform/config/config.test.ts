import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { ConfigError, parseConfig } from "./config.ts";

function languageModelOf(environment: Record<string, string>) {
  return parseConfig(environment).config.languageModel;
}

function accessOf(environment: Record<string, string>): unknown {
  return parseConfig(environment).config.providerAccess;
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test("with nothing set there is a complete configuration that needs no account", () => {
  const { config, warnings } = parseConfig({});
  assert.deepEqual(warnings, []);
  assert.equal(config.http.port, 8080);
  assert.equal(config.sip.port, 5060);
  assert.deepEqual(config.rtpPorts, { first: 20_000, last: 29_999 });
  assert.equal(config.dataDirectory, path.resolve(".parley"));
  assert.equal(config.database, undefined);
  assert.ok(config.mediaProcesses >= 1);
  assert.deepEqual(config.speechToText, { provider: "local" });
  assert.deepEqual(config.languageModel, { provider: "builtin-responder" });
});

test("trusted proxies are addresses and networks", () => {
  assert.deepEqual(parseConfig({}).config.http.trustedProxies, []);
  const { config } = parseConfig({ PARLEY_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1,::1,fd00::/8" });
  assert.deepEqual(config.http.trustedProxies, ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8"]);
  for (const wrong of ["proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.1,", "*"])
    assert.equal(problemsOf({ PARLEY_TRUSTED_PROXIES: wrong }).length, 1, wrong);
});

test("TLS connections to Parley need a certificate and its key; those from it need neither", () => {
  const anyServer = { authoritiesPath: undefined, allowsWildcards: false, server: undefined };
  assert.deepEqual(parseConfig({}).config.sip.tls, anyServer);
  const own = parseConfig({ PARLEY_SIP_TLS_CA: "/ca.pem", PARLEY_SIP_TLS_ALLOW_WILDCARDS: "true" });
  assert.deepEqual(own.config.sip.tls, { ...anyServer, authoritiesPath: "/ca.pem", allowsWildcards: true });
  assert.deepEqual(own.warnings, []);
  const files = { PARLEY_SIP_TLS_CERT: "/c.pem", PARLEY_SIP_TLS_KEY: "/k.pem" };
  assert.deepEqual(parseConfig({ ...files, PARLEY_SIP_TLS_CA: "/ca.pem" }).config.sip.tls, {
    authoritiesPath: "/ca.pem",
    allowsWildcards: false,
    server: {
      port: 5061,
      certificatePath: "/c.pem",
      keyPath: "/k.pem",
      isClientCertificateRequired: false,
    },
  });
  for (const [name, value] of Object.entries(files)) assert.equal(problemsOf({ [name]: value }).length, 1);
});

test("recordings are stored in a folder, or in a bucket with its keys", () => {
  const storageOf = (environment: Record<string, string>) => parseConfig(environment).config.objectStorage;
  assert.deepEqual(storageOf({}), {
    type: "folder",
    folder: path.resolve(".parley/objects"),
    isShared: false,
  });
  const shared = { PARLEY_OBJECT_STORAGE_FOLDER: "/mnt/calls", PARLEY_OBJECT_STORAGE_SHARED: "true" };
  assert.deepEqual(storageOf(shared), { type: "folder", folder: "/mnt/calls", isShared: true });
  const bucket = {
    PARLEY_OBJECT_STORAGE_BUCKET: "calls",
    PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID: "id",
    PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY: "secret",
  };
  const s3 = { type: "s3", bucket: "calls", accessKeyId: "id", secretAccessKey: "secret" };
  assert.deepEqual(storageOf({ ...bucket, PARLEY_OBJECT_STORAGE_REGION: "eu-west-1" }), {
    ...s3,
    region: "eu-west-1",
    endpoint: "https://s3.eu-west-1.amazonaws.com",
  });
  assert.deepEqual(storageOf({ ...bucket, PARLEY_OBJECT_STORAGE_ENDPOINT: "http://minio:9000/" }), {
    ...s3,
    region: "us-east-1",
    endpoint: "http://minio:9000",
  });
  assert.equal(problemsOf({ PARLEY_OBJECT_STORAGE_BUCKET: "calls" }).length, 2);
  assert.equal(problemsOf({ ...bucket, PARLEY_OBJECT_STORAGE_FOLDER: "/mnt/calls" }).length, 1);
  assert.equal(problemsOf({ PARLEY_OBJECT_STORAGE_ENDPOINT: "http://minio:9000" }).length, 1);
});

test("an empty value counts as not set", () => {
  assert.equal(parseConfig({ PARLEY_HTTP_PORT: " ", DATABASE_URL: "" }).config.http.port, 8080);
});

test("every invalid variable is reported in one line that names it", () => {
  const problems = problemsOf({
    PARLEY_HTTP_PORT: "eighty",
    PARLEY_SIP_PORT: "70000",
    PARLEY_RTP_PORTS: "30000-20000",
    PARLEY_PUBLIC_ADDRESS: "example.com",
    PARLEY_BOOTSTRAP_API_KEY: "short",
    PARLEY_ALLOW_PRIVATE_WEBHOOKS: "yes",
    PARLEY_ENCRYPTION_KEY: "0011",
    PARLEY_LOG_LEVEL: "loud",
    PARLEY_STT: "deepgram",
    PARLEY_TTS: "unknown",
  });
  const names = problems.map((problem) => problem.split(" ")[0]);
  assert.deepEqual(
    names.toSorted((a = "", b = "") => a.localeCompare(b)),
    [
      "DEEPGRAM_API_KEY",
      "PARLEY_ALLOW_PRIVATE_WEBHOOKS",
      "PARLEY_BOOTSTRAP_API_KEY",
      "PARLEY_ENCRYPTION_KEY",
      "PARLEY_HTTP_PORT",
      "PARLEY_LOG_LEVEL",
      "PARLEY_PUBLIC_ADDRESS",
      "PARLEY_RTP_PORTS",
      "PARLEY_SIP_PORT",
      "PARLEY_TTS",
    ],
  );
  for (const problem of problems) assert.ok(!problem.includes("\n"));
});

test("an external database needs an encryption key, and its URL is not repeated in the problem", () => {
  const url = "postgres://parley:geheim@db/parley";
  assert.deepEqual(
    problemsOf({ DATABASE_URL: url }).map((each) => each.split(" ")[0]),
    ["PARLEY_ENCRYPTION_KEY"],
  );
  const [problem = ""] = problemsOf({ DATABASE_URL: "mysql://root:geheim@db/x" });
  assert.match(problem, /^DATABASE_URL /);
  assert.ok(!problem.includes("geheim"));
});

test("the direct URL defaults to DATABASE_URL", () => {
  const environment = { DATABASE_URL: "postgres://p@db/x", PARLEY_ENCRYPTION_KEY: "ab".repeat(32) };
  assert.equal(parseConfig(environment).config.database?.directUrl, "postgres://p@db/x");
  const direct = { ...environment, PARLEY_DATABASE_DIRECT_URL: "postgres://p@direct/x" };
  assert.equal(parseConfig(direct).config.database?.directUrl, "postgres://p@direct/x");
});

test("the language model is the endpoint, else the GGUF file, else OpenAI, else the built-in responder", () => {
  const endpoint = { PARLEY_LLM_BASE_URL: "http://llm:8000/v1/", PARLEY_LLM_MODEL: "qwen" };
  assert.deepEqual(languageModelOf(endpoint), { provider: "openai-compatible", model: "qwen" });
  assert.deepEqual(accessOf(endpoint), { "openai-compatible": { baseUrl: "http://llm:8000/v1" } });
  assert.deepEqual(languageModelOf({ PARLEY_LLM_GGUF: "/m.gguf", OPENAI_API_KEY: "sk" }), {
    provider: "gguf",
    path: "/m.gguf",
  });
  assert.deepEqual(languageModelOf({ OPENAI_API_KEY: "sk" }), {
    provider: "openai-compatible",
    model: "gpt-4o-mini",
  });
  const openAi = { baseUrl: "https://api.openai.com/v1", apiKey: "sk" };
  assert.deepEqual(accessOf({ OPENAI_API_KEY: "sk" }), { openai: openAi, "openai-compatible": openAi });
});

test("local speech is loaded if it is the provider or its fallback", () => {
  const keys = { DEEPGRAM_API_KEY: "dg", ELEVENLABS_API_KEY: "el" };
  const loaded = (PARLEY_STT: string, PARLEY_TTS: string): unknown =>
    parseConfig({ ...keys, PARLEY_STT, PARLEY_TTS }).config.localSpeech;
  assert.deepEqual(loaded("", ""), { hasSpeechToText: true, hasTextToSpeech: true });
  assert.deepEqual(loaded("deepgram", "elevenlabs"), { hasSpeechToText: false, hasTextToSpeech: false });
  assert.deepEqual(loaded("deepgram,local", "elevenlabs, local"), {
    hasSpeechToText: true,
    hasTextToSpeech: true,
  });
  for (const PARLEY_STT of ["local,deepgram", "deepgram,unknown", "local,local"])
    assert.equal(problemsOf({ ...keys, PARLEY_STT }).length, 1);
});

test("OpenAI's audio API needs a key at OpenAI, and no model", () => {
  const speechOf = (environment: Record<string, string>): unknown =>
    parseConfig({ PARLEY_TTS: "openai", ...environment }).config.textToSpeech;
  assert.deepEqual(speechOf({ OPENAI_API_KEY: "sk" }), { provider: "openai" });
  const box = { PARLEY_SPEECH_BASE_URL: "http://box:8000/v1", PARLEY_TTS_MODEL: "kokoro" };
  assert.deepEqual(speechOf(box), { provider: "openai", model: "kokoro" });
  assert.deepEqual(accessOf(box), { openai: { baseUrl: "http://box:8000/v1" } });
  assert.deepEqual(
    problemsOf({ PARLEY_STT: "openai" }).map((each) => each.split(" ")[0]),
    ["OPENAI_API_KEY"],
  );
});

test("traces are sent to the configured collector, with its headers", () => {
  assert.equal(parseConfig({}).config.otlp, undefined);
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, team=voice",
  };
  assert.deepEqual(parseConfig(environment).config.otlp, {
    endpoint: "http://collector:4318",
    headers: { "api-key": "a b", team: "voice" },
  });
  assert.equal(problemsOf({ ...environment, OTEL_EXPORTER_OTLP_HEADERS: "nothing" }).length, 1);
});

test("an unknown variable is reported with the nearest known name", () => {
  const { warnings } = parseConfig({ PARLEY_SIPPORT: "5070", PARLEY_COLOR_OF_THE_LOGO: "red", HOME: "/" });
  assert.deepEqual(warnings, [
    "PARLEY_SIPPORT is not a known variable; did you mean PARLEY_SIP_PORT?",
    "PARLEY_COLOR_OF_THE_LOGO is not a known variable",
  ]);
});

test("the configuration cannot be changed", () => {
  const { config } = parseConfig({});
  assert.ok(Object.isFrozen(config));
});
