import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const KEY_BYTES = 32;
/** NIST SP 800-38D: 96 bits, random for each encryption. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 8;
/** Texts of versions that had one key do not name it. */
const PREFIX_WITHOUT_KEY = "v1.";
/** Identifies the algorithm of a stored text, in case another is added; the id of the key follows. */
const PREFIX = "v2.";

interface EncryptionKey {
  key: Buffer;
  fingerprint: string;
}

/**
 * Encrypts secrets that must be readable again: credentials of trunks and providers. AES-256-GCM. The first key
 * encrypts; all keys decrypt, so that keys can be changed while nodes run.
 */
export class Encryption {
  readonly #keys: readonly EncryptionKey[];
  readonly #first: EncryptionKey;

  constructor(first: Buffer, ...others: readonly Buffer[]) {
    this.#keys = [first, ...others].map((key) => ({ key, fingerprint: fingerprintOf(key) }));
    this.#first = { key: first, fingerprint: fingerprintOf(first) };
  }

  /** Identifies the first key without revealing it: a hash of 32 random bytes cannot be reversed by search. */
  get fingerprint(): string {
    return this.#first.fingerprint;
  }

  /** Fingerprints of all keys, the first key's first. */
  get fingerprints(): string[] {
    return this.#keys.map(({ fingerprint }) => fingerprint);
  }

  /** Ids of all keys in stored texts. */
  get keyIds(): string[] {
    return this.#keys.map(keyIdOf);
  }

  /** Id of the first key in stored texts. */
  get keyId(): string {
    return keyIdOf(this.#first);
  }

  /** The same keys, encrypting with the key of this fingerprint. Throws if it is not one of the keys. */
  encryptingWith(fingerprint: string): Encryption {
    const first = this.#keys.find((each) => each.fingerprint === fingerprint);
    if (first === undefined) throw missingKey(keyIdOf({ fingerprint }));
    return new Encryption(first.key, ...this.#keys.filter((each) => each !== first).map(({ key }) => key));
  }

  /**
   * Derives keys for a purpose other than encryption (RFC 5869); the same on every node. The first one signs; what the
   * others signed is valid too.
   */
  deriveKeys(purpose: string): Buffer[] {
    return this.#keys.map(({ key }) => Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES)));
  }

  /** `context` names the place of the text (`sip_trunks/<id>`); in another place it does not decrypt. */
  encrypt(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#first.key, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    const bytes = Buffer.concat([nonce, encrypted, cipher.getAuthTag()]);
    return `${this.#prefix}${bytes.toString("base64")}`;
  }

  /** Throws if the text was encrypted with an unknown key or another context, or was changed. */
  decrypt(stored: string, context: string): string {
    if (stored.startsWith(PREFIX_WITHOUT_KEY)) {
      const bytes = Buffer.from(stored.slice(PREFIX_WITHOUT_KEY.length), "base64");
      return this.#decryptWithAny(this.#keys, bytes, context);
    }
    const [, keyId, text = ""] = /^v2\.([0-9a-f]{8})\.([^]+)$/.exec(stored) ?? [];
    if (keyId === undefined) throw new Error("not an encrypted text");
    const keys = this.#keys.filter((key) => keyIdOf(key) === keyId);
    if (keys.length === 0) throw missingKey(keyId);
    return this.#decryptWithAny(keys, Buffer.from(text, "base64"), context);
  }

  /** Encrypts a stored text with the first key, unless it is encrypted with it. Throws as `decrypt` does. */
  reencrypt(stored: string, context: string): string {
    return stored.startsWith(this.#prefix) ? stored : this.encrypt(this.decrypt(stored, context), context);
  }

  get #prefix(): string {
    return `${PREFIX}${this.keyId}.`;
  }

  /** Throws the error of the last key. */
  #decryptWithAny([first, ...others]: readonly EncryptionKey[], bytes: Buffer, context: string): string {
    try {
      return decryptBytes(first?.key ?? this.#first.key, bytes, context);
    } catch (error) {
      if (others.length === 0) throw error;
      return this.#decryptWithAny(others, bytes, context);
    }
  }
}

/** Id of a key in stored texts. */
function keyIdOf({ fingerprint }: Pick<EncryptionKey, "fingerprint">): string {
  return fingerprint.slice(0, KEY_ID_LENGTH);
}

function fingerprintOf(key: Buffer): string {
  return createHash("sha256").update("parley encryption key ").update(key).digest("hex").slice(0, 32);
}

function missingKey(keyId: string): Error {
  return new Error(`PARLEY_ENCRYPTION_KEY has no key with the id ${keyId}: add it after the others`);
}

function decryptBytes(key: Buffer, bytes: Buffer, context: string): string {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  return text.toString("utf8");
}

/** Parses 32 bytes in hex or base64; throws the problem of another text. */
export function parseEncryptionKey(value: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, "hex") : Buffer.from(value, "base64");
  if (key.length === KEY_BYTES) return key;
  throw new Error("must be 32 bytes in base64 or hex (create one: openssl rand -base64 32)");
}

/** Parses one or more keys, separated by commas; throws the problem of another text. */
export function parseEncryptionKeys(value: string): [Buffer, ...Buffer[]] {
  const [first = "", ...others] = value.split(",");
  return [parseEncryptionKey(first.trim()), ...others.map((text) => parseEncryptionKey(text.trim()))];
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
