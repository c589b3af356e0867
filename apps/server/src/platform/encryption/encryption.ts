import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const KEY_BYTES = 32;
/** NIST SP 800-38D: 96 bits, random for each encryption. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Identifies the algorithm of a stored text, in case another is added. */
const PREFIX = "v1.";

/** Encrypts secrets that must be readable again: credentials of trunks and providers. AES-256-GCM. */
export class Encryption {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Identifies the key without revealing it: a hash of 32 random bytes cannot be reversed by search. */
  get fingerprint(): string {
    return createHash("sha256").update("parley encryption key ").update(this.#key).digest("hex").slice(0, 32);
  }

  /** Derives a key for a purpose other than encryption (RFC 5869); the same on every node. */
  deriveKey(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#key, "", purpose, KEY_BYTES));
  }

  /** `context` names the place of the text (`sip_trunks/<id>`); in another place it does not decrypt. */
  encrypt(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString("base64");
  }

  /** Throws if the text was encrypted with another key or context, or was changed. */
  decrypt(stored: string, context: string): string {
    if (!stored.startsWith(PREFIX)) throw new Error("not an encrypted text");
    const bytes = Buffer.from(stored.slice(PREFIX.length), "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString("utf8");
  }
}

/** Parses 32 bytes in hex or base64; throws the problem of another text. */
export function parseEncryptionKey(value: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, "hex") : Buffer.from(value, "base64");
  if (key.length === KEY_BYTES) return key;
  throw new Error("must be 32 bytes in base64 or hex (create one: openssl rand -base64 32)");
}

/** Key of this data directory, created at the first start. Only for a node with an embedded database. */
export async function loadOrCreateKey(dataDirectory: string): Promise<Buffer> {
  const file = path.join(dataDirectory, "encryption.key");
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const created = randomBytes(KEY_BYTES);
  try {
    await writeFile(file, `${created.toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    return created;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return parseEncryptionKey((await readFile(file, "utf8")).trim());
  }
}
