import { createHash, randomBytes } from "node:crypto";

/** 256 bits: nobody guesses one, so a key needs no name beside it to be looked up by. */
const KEY_BYTES = 32;

export function generateKey(): string {
  return `parley_${randomBytes(KEY_BYTES).toString("base64url")}`;
}

/**
 * What is stored and searched for. One fast hash is right for a random key: slow, salted ones protect what people
 * think up, and 256 random bits cannot be searched through at any speed. Finding it by an index leaks no time
 * either: what is compared is the hash, whose bytes a caller cannot steer towards a stored one.
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
