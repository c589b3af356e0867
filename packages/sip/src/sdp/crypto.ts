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
  /** The master key identifier in each packet under this key (RFC 3711 §3.1); `undefined` if there is none. */
  mki?: Uint8Array;
}

/** The negotiated suite and keys. Each side protects what it sends with its own key (RFC 4568 §5.1). */
export interface NegotiatedSrtp {
  suite: CryptoSuite;
  localMasterKey: MasterKey;
  remoteMasterKey: MasterKey;
  /** The master key identifier in each packet of the peer. Ours have none. */
  remoteMki?: Uint8Array;
}

/** RFC 4568 §6.1. */
const MAX_MKI_BYTES = 128;

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
    const key = readKey(config, suite);
    if (key !== undefined) usable.push({ tag: id, suite, ...key });
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

/** RFC 4568 §6.1: `inline:KEY||SALT[|lifetime][|MKI:length]`. Lines with several keys are ignored. */
const KEY_LINE = /^inline:([A-Za-z0-9+/=]+)(?:\|(\d{1,20}|2\^\d{1,3}))?(?:\|(\d{1,310}):(\d{1,3}))?$/i;

function readKey(config: string, suite: CryptoSuite): Pick<CryptoAttribute, "masterKey" | "mki"> | undefined {
  const [, base64 = "", lifetime, identifier, identifierBytes] = KEY_LINE.exec(config) ?? [];
  const masterKey = Buffer.from(base64, "base64");
  const { keyBytes, saltBytes } = suites[suite];
  if (masterKey.length !== keyBytes + saltBytes) return undefined;
  const packets = lifetime?.startsWith("2^") ? 2 ** Number(lifetime.slice(2)) : Number(lifetime ?? Infinity);
  if (packets < MIN_KEY_LIFETIME_PACKETS) return undefined;
  if (identifier === undefined) return { masterKey };
  const mki = readMki(identifier, Number(identifierBytes));
  return mki && { masterKey, mki };
}

/** RFC 4568 §6.1: a decimal number, big-endian in the packets; `undefined` if it does not fit its length. */
function readMki(decimal: string, bytes: number): Uint8Array | undefined {
  const hex = BigInt(decimal)
    .toString(16)
    .padStart(2 * bytes, "0");
  if (bytes < 1 || bytes > MAX_MKI_BYTES || hex.length > 2 * bytes) return undefined;
  return Buffer.from(hex, "hex");
}

/** RFC 4568 §6.3: a window size hint may be ignored; every other parameter changes the packets. */
function areParametersUsable(parameters: string | undefined): boolean {
  return parameters === undefined || parameters === "" || /^-|^WSH=\d+$/.test(parameters);
}
