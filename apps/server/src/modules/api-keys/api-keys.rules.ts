import { createHash, randomBytes } from "node:crypto";

/** 256 bits: a key cannot be guessed, so it is looked up without a name beside it. */
const KEY_BYTES = 32;

export function generateKey(): string {
  return `parley_${randomBytes(KEY_BYTES).toString("base64url")}`;
}

/**
 * Hash that is stored and looked up. One fast hash is right for a random key: slow, salted hashes protect passwords
 * that people choose, while 256 random bits cannot be searched at any speed. The index lookup leaks no timing either:
 * it compares hashes, whose bytes a client cannot steer toward a stored one.
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
