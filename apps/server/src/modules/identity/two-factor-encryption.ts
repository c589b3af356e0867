import { createHash } from "node:crypto";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";

/** Secrets of the library, the current one first: it signs cookies, and encrypts the secrets of authenticator apps. */
export function librarySecretsOf(encryption: Encryption): { version: number; value: string }[] {
  return encryption.deriveKeys("sessions and authenticator apps").map((key) => ({
    version: versionOf(key),
    value: key.toString("base64"),
  }));
}

/** Number by which stored texts name the key that encrypted them: 31 bits of its hash. */
function versionOf(key: Buffer): number {
  return createHash("sha256").update(key).digest().readUInt32BE() >>> 1;
}

/** Encrypts a text of the library with its current secret. Leaves a text whose secret is no longer there. */
async function reencrypt(encryption: Encryption, text: string): Promise<string> {
  const { parseEnvelope, symmetricDecrypt, symmetricEncrypt } = await import("better-auth/crypto");
  const secrets = librarySecretsOf(encryption);
  const currentVersion = secrets[0]?.version ?? 0;
  const key = { currentVersion, keys: new Map(secrets.map(({ version, value }) => [version, value])) };
  const version = parseEnvelope(text)?.version;
  if (version === undefined || version === currentVersion || !key.keys.has(version)) return text;
  return await symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: text }) });
}

export const encryptedTwoFactors = ["secret", "backup_codes"].map((column): EncryptedColumn => {
  return {
    table: "two_factors",
    column,
    type: "text",
    key: ["id"],
    reencrypt,
    keyVersionPattern: String.raw`^\$ba\$(\d+)\$`,
    keyVersionsOf: (encryption) => librarySecretsOf(encryption).map(({ version }) => String(version)),
  };
});
