import { randomBytes } from "node:crypto";
import type { MediaDescription } from "sdp-transform";

/** The crypto suites of RFC 4568 §6.2 and RFC 7714 §14.2 that this side speaks, preferred first. */
const suites = {
  AES_CM_128_HMAC_SHA1_80: { keyBytes: 16, saltBytes: 14 },
  AES_CM_128_HMAC_SHA1_32: { keyBytes: 16, saltBytes: 14 },
  AEAD_AES_128_GCM: { keyBytes: 16, saltBytes: 12 },
  AEAD_AES_256_GCM: { keyBytes: 32, saltBytes: 12 },
} as const;

export type CryptoSuite = keyof typeof suites;

/** Master key and, after it, master salt. */
type MasterKey = Uint8Array;

/** A usable `a=crypto` line. */
export interface CryptoAttribute {
  tag: number;
  suite: CryptoSuite;
  masterKey: MasterKey;
}

/** What an offer and its answer settled: each side protects what it sends with its own key (RFC 4568 §5.1). */
export interface NegotiatedSrtp {
  suite: CryptoSuite;
  localMasterKey: MasterKey;
  remoteMasterKey: MasterKey;
}

/** Keys are not renewed within a call: one must last for this many packets at least, nearly six hours of 20 ms each. */
const LEAST_LIFETIME = 2 ** 20;

/**
 * This side's master keys of one call. A suite keeps its key for as long as it is in use, so that session refreshes do not
 * begin the stream's cryptography anew; one that was left gets a new key when it comes again, because the same key with
 * a packet counter that starts over would repeat its key stream.
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

  /** Tells which suite was settled, `undefined` for none. */
  settle(suite: CryptoSuite | undefined): void {
    for (const other of this.#keys.keys()) if (other !== suite) this.#keys.delete(other);
  }

  /** One line for each suite; their tags are their places, from 1. */
  offer(): CryptoAttribute[] {
    return Object.keys(suites)
      .filter(isSuite)
      .map((suite, index) => ({ tag: index + 1, suite, masterKey: this.keyFor(suite) }));
  }
}

/** The lines of a media section that this side can use, in the peer's order of preference; others are passed over. */
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
 * RFC 4568 §6.1: `inline:KEY||SALT[|lifetime][|MKI:length]`. Several keys, or one with a master key identifier, would
 * change the form of the packets; such a line is not for us.
 */
function readKey(config: string, suite: CryptoSuite): MasterKey | undefined {
  const [, base64 = "", lifetime] = /^inline:([A-Za-z0-9+/=]+)(?:\|(\d+|2\^\d+))?$/i.exec(config) ?? [];
  const masterKey = Buffer.from(base64, "base64");
  const { keyBytes, saltBytes } = suites[suite];
  if (masterKey.length !== keyBytes + saltBytes) return undefined;
  const packets = lifetime?.startsWith("2^") ? 2 ** Number(lifetime.slice(2)) : Number(lifetime ?? Infinity);
  return packets >= LEAST_LIFETIME ? masterKey : undefined;
}

/** RFC 4568 §6.3: a receiver may do as it likes with a window size hint; every other parameter changes the packets. */
function areParametersUsable(parameters: string | undefined): boolean {
  return parameters === undefined || parameters === "" || /^-|^WSH=\d+$/.test(parameters);
}
