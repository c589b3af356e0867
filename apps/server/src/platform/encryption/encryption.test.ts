import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { Encryption, loadOrCreateKey, parseEncryptionKey, parseEncryptionKeys } from "./encryption.ts";

test("a text is decrypted only with the same key and context", () => {
  const encryption = new Encryption(randomBytes(32));
  const stored = encryption.encrypt("pässword", "sip_trunks/1");
  assert.equal(encryption.decrypt(stored, "sip_trunks/1"), "pässword");
  assert.throws(() => encryption.decrypt(stored, "sip_trunks/2"));
  assert.throws(() => new Encryption(randomBytes(32)).decrypt(stored, "sip_trunks/1"));
});

test("a changed or truncated text is rejected", () => {
  const encryption = new Encryption(randomBytes(32));
  const stored = encryption.encrypt("secret", "a");
  const start = stored.slice(0, stored.lastIndexOf(".") + 1);
  const bytes = Buffer.from(stored.slice(start.length), "base64");
  bytes[14] = (bytes[14] ?? 0) ^ 1;
  assert.throws(() => encryption.decrypt(`${start}${bytes.toString("base64")}`, "a"));
  assert.throws(() => encryption.decrypt(stored.slice(0, 20), "a"));
  assert.throws(() => encryption.decrypt("secret", "a"));
});

test("all keys decrypt, the first one encrypts, and a text of an unknown key names it", () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const stored = new Encryption(old).encrypt("secret", "a");
  const both = new Encryption(next, old);
  assert.equal(both.decrypt(stored, "a"), "secret");
  const again = both.reencrypt(stored, "a");
  assert.equal(new Encryption(next).decrypt(again, "a"), "secret");
  assert.equal(both.reencrypt(again, "a"), again);
  assert.throws(() => new Encryption(old).decrypt(again, "a"), new RegExp(new Encryption(next).keyId));
  assert.throws(() => both.reencrypt(stored, "b"));
  const swapped = both.encryptingWith(new Encryption(old).fingerprint);
  assert.equal(new Encryption(old).decrypt(swapped.encrypt("x", "a"), "a"), "x");
  assert.throws(() => new Encryption(old).encryptingWith(both.fingerprint), /PARLEY_ENCRYPTION_KEY/);
});

test("a text without the id of its key is decrypted with any of the keys", () => {
  const key = Buffer.alloc(32, 1);
  // Encrypted by a version that had one key.
  const stored = "v1." + new Encryption(key).encrypt("secret", "a").slice("v2.12345678.".length);
  const both = new Encryption(randomBytes(32), key);
  assert.equal(both.decrypt(stored, "a"), "secret");
  assert.match(both.reencrypt(stored, "a"), new RegExp(`^v2\\.${both.keyId}\\.`));
});

test("the same text is never encrypted to the same bytes", () => {
  const encryption = new Encryption(randomBytes(32));
  assert.notEqual(encryption.encrypt("x", "a"), encryption.encrypt("x", "a"));
});

test("the fingerprint differs for each key and does not reveal it", () => {
  const key = randomBytes(32);
  const { fingerprint } = new Encryption(key);
  assert.equal(new Encryption(key).fingerprint, fingerprint);
  assert.notEqual(new Encryption(randomBytes(32)).fingerprint, fingerprint);
  assert.ok(!fingerprint.includes(key.toString("hex").slice(0, 16)));
});

test("a key is read as hex or base64 and must have 32 bytes", () => {
  const key = randomBytes(32);
  assert.deepEqual(parseEncryptionKey(key.toString("hex")), key);
  assert.deepEqual(parseEncryptionKey(key.toString("base64")), key);
  assert.throws(() => parseEncryptionKey(randomBytes(31).toString("base64")));
  assert.deepEqual(parseEncryptionKeys(`${key.toString("hex")}, ${key.toString("base64")}`), [key, key]);
  assert.throws(() => parseEncryptionKeys(`${key.toString("hex")},`));
});

test("a data directory keeps its generated key, readable only by its owner", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-key-"));
  try {
    const key = await loadOrCreateKey(directory);
    assert.deepEqual(await loadOrCreateKey(directory), key);
    const { mode } = await stat(path.join(directory, "encryption.key"));
    assert.equal(mode & 0o777, 0o600);
  } finally {
    await rm(directory, { recursive: true });
  }
});
