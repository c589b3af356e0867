import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { ClosingStack } from "../platform/closing-stack.ts";
import { createLogger } from "../platform/logging/logging.ts";
import { checkEncryptionKey } from "../platform/encryption/check-key.ts";
import { Encryption } from "../platform/encryption/encryption.ts";
import { reencryptionJob } from "../platform/encryption/reencryption.ts";
import { encryptedAnswers, Idempotency } from "../platform/idempotency/idempotency.ts";
import { createTestDatabase } from "../platform/database/testing.ts";
import { pino } from "pino";
import { encryptedColumns } from "../modules/encrypted-columns.ts";
import { reportUnreadable } from "./reencryption.ts";
import { createFeatures, type Services } from "./features.ts";
import { createTestResources } from "./testing.ts";

const logger = createLogger({ level: "silent" });

/** Three agents with a tool whose header is secret. */
async function createAgents(
  { agents, customTools }: Services,
  organizationId: string,
  promptTemplate: string,
): Promise<string[]> {
  const by = { organizationId, actor: { type: "system" as const, name: "test" } };
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) {
    const { id } = await agents.create(by, { name: "Ada", promptTemplate });
    await customTools.create(by, id, {
      name: "look_up",
      webhookUrl: "https://example.com",
      schema: { description: "Looks up", parameters: { type: "object", properties: {} } },
      headers: [{ key: "Authorization", value: "tool secret" }],
    });
    ids.push(id);
  }
  return ids;
}

test("keys are changed in three starts, after which the old key reads nothing and is refused", async (context) => {
  const { database, close } = await createTestDatabase();
  const started = new ClosingStack();
  context.after(async () => {
    await started.close();
    await close();
  });
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const start = async (...keys: [Buffer, ...Buffer[]]) => {
    const encryption = new Encryption(...keys);
    await checkEncryptionKey(database, encryption);
    const features = createFeatures(createTestResources({ database, encryption }));
    features.closeWith(started);
    const idempotency = new Idempotency(database, encryption, { now: () => new Date() });
    const columns = [...features.encryptedColumns, encryptedAnswers];
    assert.deepEqual(new Set(columns), new Set(encryptedColumns), "the doctor knows every column");
    return { ...features.services, idempotency, encryption, columns };
  };
  const before = await start(old);
  const { id: organizationId } = await before.organizations.ensure(database, "acme", "Acme");
  const trunk = await before.sipTrunks.create(organizationId, {
    friendlyName: "Carrier",
    username: "u",
    password: "trunk secret",
  });
  // Texts of users that look like encrypted ones are left as they are.
  const decoy = '"encryptedPairs": "v1.AAAA", v2.12345678.AAAA';
  const agentIds = await createAgents(before, organizationId, decoy);
  await before.signingSecrets.rotate(organizationId);
  await before.signingSecrets.rotate(organizationId);
  const signingSecrets = await before.signingSecrets.findSecrets(organizationId);
  const request = { organizationId, method: "POST", path: "/v1/x", key: "k", content: {} };
  await before.idempotency.once(request, async () => ({ status: 201, body: "answer" }));

  const reported: unknown[] = [];
  const report = async (encryption: Encryption) => {
    const log = pino({ level: "warn" }, { write: (line) => void reported.push(JSON.parse(line)) });
    await reportUnreadable({ database, encryption, logger: log }, before.columns);
    return reported.splice(0);
  };
  assert.deepEqual(await report(before.encryption), []);
  const [complaint, ...others] = await report(new Encryption(next));
  const { keyId } = before.encryption;
  const counts = {
    "sip_trunks.encrypted_password": 1,
    "agents.document": 3,
    "agent_versions.snapshot": 3,
    "webhook_signing_secrets.secret": 1,
    "webhook_signing_secrets.previous_secret": 1,
    "idempotency_keys.encrypted_body": 1,
  };
  const secrets = Object.entries(counts).map(([place, count]) => ({ place, keyId, count }));
  assert.partialDeepStrictEqual(complaint, { level: 50, secrets });
  assert.deepEqual(others, []);

  const both = await start(next, old);
  assert.equal((await both.agents.get(organizationId, agentIds[0] ?? "")).promptTemplate, decoy);
  const job = reencryptionJob({ database, encryption: both.encryption, columns: both.columns, logger });
  // A worker whose own first key is still the old one does the same.
  const { encryption } = await start(old, next);
  const otherNode = reencryptionJob({ database, encryption, columns: both.columns, logger });
  await otherNode.run({ fingerprint: both.encryption.fingerprint });
  await job.run({ fingerprint: both.encryption.fingerprint });

  assert.deepEqual(await report(new Encryption(next)), []);
  await assert.rejects(start(old), { name: "EncryptionKeyMismatchError" });
  const after = await start(next);
  assert.equal((await after.sipTrunks.findCredentials(organizationId, trunk.id))?.password, "trunk secret");
  for (const id of agentIds) {
    const agent = await after.agents.get(organizationId, id);
    assert.equal(agent.promptTemplate, decoy);
    const [tool] = await after.customTools.list(organizationId, id);
    assert.equal(tool?.headers[0]?.value, "tool secret");
    for (const revision of [1, 2]) await after.agentVersions.get(organizationId, id, revision);
  }
  assert.deepEqual(await after.signingSecrets.findSecrets(organizationId), signingSecrets);
  const again = await after.idempotency.once(request, async () => assert.fail("ran again"));
  assert.deepEqual(again, { status: 201, body: "answer", isReplayed: true });
  const { rows } = await database.execute(sql`select document, encrypted_body from agents, idempotency_keys`);
  assert.ok(!JSON.stringify(rows).includes(`v2.${before.encryption.keyId}.`));
});
