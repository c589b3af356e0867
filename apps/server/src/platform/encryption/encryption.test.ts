import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { Encryption, loadOrCreateKey, parseEncryptionKey } from "./encryption.ts";

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
  const bytes = Buffer.from(stored.slice(3), "base64");
  bytes[14] = (bytes[14] ?? 0) ^ 1;
  assert.throws(() => encryption.decrypt(`v1.${bytes.toString("base64")}`, "a"));
  assert.throws(() => encryption.decrypt(stored.slice(0, 20), "a"));
  assert.throws(() => encryption.decrypt("secret", "a"));
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
