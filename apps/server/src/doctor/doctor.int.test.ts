import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { startScriptedElevenLabs, startScriptedOpenAi } from "@parley/providers/testing";
import { type TestServer, createTestServer } from "../modules/testing.ts";
import { startArguments } from "../../../../tools/start-command.ts";
import { checkEncryptionKey } from "../platform/encryption/check-key.ts";
import { Encryption } from "../platform/encryption/encryption.ts";
import { databaseCheck } from "./checks/database.ts";
import { diskCheck, memoryCheck, nodeCheck } from "./checks/machine.ts";
import { type CheckResult, ok, runChecks } from "./finding.ts";

const root = path.join(import.meta.dirname, "../../../..");
const silentPort = 1;

/** What an operator sees who runs the command in this environment. */
async function runDoctor(env: Readonly<Record<string, string>>): Promise<{
  status: number;
  results: CheckResult[];
}> {
  const options = [...startArguments.slice(0, -1), "apps/server/src/doctor/doctor.ts", "--json"];
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      options,
      { cwd: root, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        if (stdout === "") reject(error ?? new Error(stderr));
        else resolve({ status: child.exitCode ?? -1, ...(JSON.parse(stdout) as { results: CheckResult[] }) });
      },
    );
  });
}

/** Fails unless a check failed with this message, and with a remedy that says what to do. */
function assertFailed(results: readonly CheckResult[], check: string, message: RegExp, remedy: RegExp): void {
  const failures = results.filter((each) => each.check === check && each.verdict === "failed");
  const found = failures.find((each) => message.test(each.message));
  assert.ok(found, `${check}: ${message} is not among ${JSON.stringify(failures)}`);
  assert.match(found.remedy ?? "", remedy);
}

describe("the doctor", () => {
  const closers: (() => Promise<unknown>)[] = [];
  let folder: string;
  let server: TestServer;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-doctor-test-"));
    server = await createTestServer();
    closers.push(async () => await server.close());
  });

  after(async () => {
    for (const close of closers.toReversed()) await close();
    await rm(folder, { recursive: true, force: true });
  });

  test("names everything that is wrong with a set-up, each with what to do, and exits with 1", async () => {
    const web = createServer().listen(0, "0.0.0.0");
    const sip = createSocket("udp4").bind(0, "0.0.0.0");
    await Promise.all([once(web, "listening"), once(sip, "listening")]);
    closers.push(
      async () => web.close(),
      async () => sip.close(),
    );
    const webAddress = web.address();
    assert.ok(typeof webAddress === "object" && webAddress !== null);
    const model = await startScriptedOpenAi({ apiKey: "the right key", reply: () => ({ text: "yes" }) });
    const voices = await startScriptedElevenLabs({ apiKey: "the right key" });
    closers.push(
      async () => await model.close(),
      async () => await voices.close(),
    );
    const notAFolder = path.join(folder, "a-file");
    await writeFile(notAFolder, "");
    await checkEncryptionKey(server.database, new Encryption(randomBytes(32)));
    const trunk = await server.request("POST", "/sip-trunks", {
      friendlyName: "Carrier that is down",
      proxyAddress: `127.0.0.1:${silentPort}`,
      transport: "tcp",
    });
    assert.equal(trunk.status, 201);
    await server.database.execute(
      "update drizzle.__drizzle_migrations set hash = 'of a development version'",
    );
    const { status, results } = await runDoctor({
      PARLEY_HTTP_PORT: String(webAddress.port),
      PARLEY_SIP_PORT: String(sip.address().port),
      PARLEY_DATA_DIR: path.join(notAFolder, "data"),
      PARLEY_MODELS_DIR: path.join(folder, "no-models"),
      npm_config_registry: `http://127.0.0.1:${silentPort}/`,
      DATABASE_URL: server.connectionString,
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("hex"),
      PARLEY_PUBLIC_ADDRESS: "10.255.255.254",
      PARLEY_PUBLIC_URL: "http://parley.example.com",
      PARLEY_OBJECT_STORAGE_BUCKET: "recordings",
      PARLEY_OBJECT_STORAGE_ENDPOINT: `http://127.0.0.1:${silentPort}`,
      PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID: "id",
      PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY: "secret",
      PARLEY_LLM_BASE_URL: `${model.url}/v1`,
      PARLEY_LLM_MODEL: "a-model",
      PARLEY_LLM_API_KEY: "a wrong key",
      PARLEY_EMBEDDINGS_BASE_URL: `http://127.0.0.1:${silentPort}/v1`,
      PARLEY_EMBEDDINGS_MODEL: "embed-1",
      PARLEY_TTS: "elevenlabs",
      ELEVENLABS_API_KEY: "a wrong key",
      ELEVENLABS_BASE_URL: voices.url,
    });
    assertFailed(results, "ports", /PARLEY_HTTP_PORT.*in use/, /ss -lnp.*PARLEY_HTTP_PORT/);
    assertFailed(results, "ports", /udp \(PARLEY_SIP_PORT\).*in use/, /PARLEY_SIP_PORT/);
    assertFailed(results, "write access", /PARLEY_DATA_DIR.*cannot be written/, /Set PARLEY_DATA_DIR/);
    assertFailed(results, "models", /missing.*does not answer/, /npm run models.*copy/);
    assertFailed(results, "database", /development version/, /empty database/);
    assertFailed(results, "database", /encryption key does not match/, /PARLEY_ENCRYPTION_KEY/);
    assertFailed(results, "public address", /10\.255\.255\.254/, /Set it to the address/);
    assertFailed(results, "public URL", /not HTTPS/, /certificate/);
    assertFailed(results, "object storage", /bucket recordings/, /PARLEY_OBJECT_STORAGE_ENDPOINT/);
    assertFailed(results, "language model", /PARLEY_LLM_API_KEY/, /language-models\.md/);
    assertFailed(results, "embeddings", /embed-1 at .* does not embed/, /PARLEY_EMBEDDINGS_BASE_URL/);
    assertFailed(results, "speech vendors", /elevenlabs/i, /key/);
    assertFailed(results, "trunks", /Carrier that is down.*refuses/, /proxyAddress/);
    assert.equal(status, 1);
  });

  test("names the secrets whose key was removed too early", async () => {
    const another = new Encryption(randomBytes(32));
    const url = server.connectionString;
    const created = await server.request("POST", "/sip-trunks", {
      friendlyName: "Carrier with a password",
      username: "u",
      password: "secret",
    });
    assert.equal(created.status, 201);
    const examine = async (encryption: Encryption): Promise<CheckResult[]> =>
      await runChecks([databaseCheck({ url, directUrl: url, finding: ok("") }, encryption)]);
    assertFailed(
      await examine(another),
      "database",
      new RegExp(`1 in sip_trunks\\.encrypted_password need the key ${server.encryption.keyId}`),
      /Add the old key after the others/,
    );
    const findings = await examine(server.encryption);
    assert.ok(!findings.some(({ message }) => message.includes("cannot be decrypted")));
  });

  test("names everything in the configuration that prevents a start", async () => {
    const { status, results } = await runDoctor({ PARLEY_RTP_PORTS: "plenty", PARLEY_STT: "ears" });
    assertFailed(results, "configuration", /PARLEY_RTP_PORTS/, /docs\/operating\.md/);
    assertFailed(results, "configuration", /PARLEY_STT/, /docs\/operating\.md/);
    assert.equal(status, 1);
  });

  test("names a password that the database refuses, a file that is no model, and ports that overlap", async () => {
    const url = new URL(server.connectionString);
    url.password = "wrong";
    const text = path.join(folder, "notes.gguf");
    await writeFile(text, "these are notes");
    const { status, results } = await runDoctor({
      PARLEY_DATA_DIR: folder,
      DATABASE_URL: url.href,
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("hex"),
      PARLEY_LLM_GGUF: text,
      PARLEY_RTP_PORTS: "20000-30100",
    });
    assertFailed(results, "database", /password authentication failed/, /right password/);
    assertFailed(results, "language model", /not a GGUF model/, /PARLEY_LLM_GGUF/);
    assertFailed(results, "ports", /PARLEY_RTP_PORTS.*PARLEY_WEBRTC_PORTS.*overlap/, /PARLEY_WEBRTC_PORTS/);
    assert.equal(status, 1);
  });

  test("reports only the problems of an old and small machine", async () => {
    const folders = { dataDirectory: folder, modelsDirectory: folder };
    const results = await runChecks([
      nodeCheck("20.1.0"),
      memoryCheck({ hasSpeechToText: true, hasTextToSpeech: true }, 500),
      diskCheck(folders, async () => 50e6),
    ]);
    assertFailed(results, "node", /20\.1\.0 is too old/, /npm ci/);
    assertFailed(results, "disk", /0\.1 GB/, /PARLEY_DATA_DIR/);
    assert.deepEqual(
      results.filter(({ check }) => check === "memory").map(({ verdict }) => verdict),
      ["warning"],
    );
  });

  test("a check that throws fails, and the others run", async () => {
    const results = await runChecks([
      { name: "broken", run: async () => await Promise.reject(new Error("unexpected")) },
      nodeCheck(),
    ]);
    assertFailed(results, "broken", /unexpected/, /./);
    assert.equal(results.at(-1)?.verdict, "ok");
  });
});
