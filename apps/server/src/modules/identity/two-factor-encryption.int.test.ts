import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { Encryption } from "../../platform/encryption/encryption.ts";
import { findUnreadableSecrets, type Select } from "../../platform/encryption/missing-keys.ts";
import { reencryptionJob } from "../../platform/encryption/reencryption.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { insertUser } from "./identity.store.ts";
import { twoFactors } from "./identity.tables.ts";
import { encryptedTwoFactors, librarySecretsOf } from "./two-factor-encryption.ts";

/** The library's configuration of these keys, as it makes it of `secrets`. */
function configOf(...keys: [Buffer, ...Buffer[]]) {
  const secrets = librarySecretsOf(new Encryption(...keys));
  return {
    currentVersion: secrets[0]?.version ?? 0,
    keys: new Map(secrets.map(({ version, value }) => [version, value])),
  };
}

test("secrets of authenticator apps are encrypted again after a change of the key; unreadable ones stay, and are reported", async (context) => {
  const { database, close } = await createTestDatabase();
  context.after(async () => await close());
  const [old, next, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const encrypt = async (data: string) => await symmetricEncrypt({ key: configOf(old), data });
  const userId = await insertUser(database, { name: "Ada", email: "ada@example.com", passwordHash: "" });
  assert.ok(userId !== undefined);
  const before = { userId, secret: await encrypt("secret"), backupCodes: await encrypt("codes") };
  await database.insert(twoFactors).values(before);
  const run = async (...keys: [Buffer, ...Buffer[]]) => {
    const encryption = new Encryption(...keys);
    const logger = createLogger({ level: "silent" });
    const job = reencryptionJob({ database, encryption, columns: encryptedTwoFactors, logger });
    await job.run({ fingerprint: encryption.fingerprint });
    const [row] = await database.select().from(twoFactors);
    assert.ok(row !== undefined);
    return row;
  };
  const findUnreadable = async (...keys: [Buffer, ...Buffer[]]) => {
    const select: Select = async (text, values) => (await database.$client.query(text, values)).rows;
    return await findUnreadableSecrets(select, encryptedTwoFactors, new Encryption(...keys));
  };
  assert.partialDeepStrictEqual(await run(other), before);
  assert.deepEqual(await findUnreadable(other, next), [
    { place: "two_factors.secret", count: 1 },
    { place: "two_factors.backup_codes", count: 1 },
  ]);
  assert.deepEqual(await findUnreadable(next, old), []);
  const after = await run(next, old);
  const key = configOf(next);
  assert.equal(await symmetricDecrypt({ key, data: after.secret }), "secret");
  assert.equal(await symmetricDecrypt({ key, data: after.backupCodes }), "codes");
  await assert.rejects(symmetricDecrypt({ key: configOf(old), data: after.secret }));
  assert.deepEqual(await run(next, old), after);
});
