import { randomBytes } from "node:crypto";
import type { MediaDescription } from "sdp-transform";

/** The supported crypto suites (RFC 4568 §6.2, RFC 7714 §14.2), preferred first. */
const suites = {
  AES_CM_128_HMAC_SHA1_80: { keyBytes: 16, saltBytes: 14 },
  AES_CM_128_HMAC_SHA1_32: { keyBytes: 16, saltBytes: 14 },
  AEAD_AES_128_GCM: { keyBytes: 16, saltBytes: 12 },
  AEAD_AES_256_GCM: { keyBytes: 32, saltBytes: 12 },
} as const;

export type CryptoSuite = keyof typeof suites;

/** Master key followed by master salt. */
type MasterKey = Uint8Array;

/** A usable `a=crypto` line. */
export interface CryptoAttribute {
  tag: number;
  suite: CryptoSuite;
  masterKey: MasterKey;
}

/** The negotiated suite and keys. Each side protects what it sends with its own key (RFC 4568 §5.1). */
export interface NegotiatedSrtp {
  suite: CryptoSuite;
  localMasterKey: MasterKey;
  remoteMasterKey: MasterKey;
}

/** A key must last for a call, because it is not renewed: 2^20 packets of 20 ms are nearly six hours. */
const MIN_KEY_LIFETIME_PACKETS = 2 ** 20;

/**
 * This side's master keys for one call. A suite keeps its key while it is in use, so that session refreshes do
 * not restart the stream's cryptography. A suite that returns after another one gets a new key: the old key with
 * a restarted packet counter would repeat its key stream.
 */
export class LocalSrtpKeys {
  readonly #keys = new Map<CryptoSuite, MasterKey>();

  keyFor(suite: CryptoSuite): MasterKey {
    let key = this.#keys.get(suite);
    if (key === undefined) {
      key = randomBytes(suites[suite].keyBytes + suites[suite].saltBytes);
      this.#keys.set(suite, key);
    }
    return key;
  }

  /** Sets the negotiated suite; `undefined` for plain RTP. */
  settle(suite: CryptoSuite | undefined): void {
    for (const other of this.#keys.keys()) if (other !== suite) this.#keys.delete(other);
  }

  /** One line for each suite, with tags from 1. */
  offer(): CryptoAttribute[] {
    return Object.keys(suites)
      .filter(isSuite)
      .map((suite, index) => ({ tag: index + 1, suite, masterKey: this.keyFor(suite) }));
  }
}

/** The usable lines of a media section, in the peer's order of preference. */
export function readCrypto({ crypto = [] }: MediaDescription): CryptoAttribute[] {
  const usable: CryptoAttribute[] = [];
  for (const { id, suite, config, sessionConfig } of crypto) {
    if (!Number.isInteger(id) || !isSuite(suite) || !areParametersUsable(sessionConfig)) continue;
    const masterKey = readKey(config, suite);
    if (masterKey !== undefined) usable.push({ tag: id, suite, masterKey });
  }
  return usable;
}

export function writeCrypto({ tag, suite, masterKey }: CryptoAttribute): {
  id: number;
  suite: string;
  config: string;
} {
  return { id: tag, suite, config: `inline:${Buffer.from(masterKey).toString("base64")}` };
}

function isSuite(name: string): name is CryptoSuite {
  return Object.hasOwn(suites, name);
}

/**
 * RFC 4568 §6.1: `inline:KEY||SALT[|lifetime][|MKI:length]`. Lines with several keys or a master key identifier
 * are ignored, because they change the packet format.
 */
function readKey(config: string, suite: CryptoSuite): MasterKey | undefined {
  const [, base64 = "", lifetime] = /^inline:([A-Za-z0-9+/=]+)(?:\|(\d+|2\^\d+))?$/i.exec(config) ?? [];
  const masterKey = Buffer.from(base64, "base64");
  const { keyBytes, saltBytes } = suites[suite];
  if (masterKey.length !== keyBytes + saltBytes) return undefined;
  const packets = lifetime?.startsWith("2^") ? 2 ** Number(lifetime.slice(2)) : Number(lifetime ?? Infinity);
  return packets >= MIN_KEY_LIFETIME_PACKETS ? masterKey : undefined;
}

/** RFC 4568 §6.3: a window size hint may be ignored; every other parameter changes the packets. */
function areParametersUsable(parameters: string | undefined): boolean {
  return parameters === undefined || parameters === "" || /^-|^WSH=\d+$/.test(parameters);
}
