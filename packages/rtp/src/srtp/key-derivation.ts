import { createCipheriv } from "node:crypto";
import { srtpSuites, type SrtpSuite } from "./suites.ts";

/** Session keys of RTP or RTCP. */
export interface SessionKeys {
  encryption: Uint8Array;
  /** For HMAC-SHA1. */
  authentication: Uint8Array;
  salt: Uint8Array;
}

/** RFC 3711 §4.3.2: the labels of RTP; those of RTCP are greater by three. */
const ENCRYPTION_LABEL = 0;
const AUTHENTICATION_LABEL = 1;
const SALT_LABEL = 2;
const RTCP_LABELS = 3;

const AUTHENTICATION_KEY_BYTES = 20;
const BLOCK_BYTES = 16;
/** Position of the label in the block, which begins with the salt (RFC 3711 §4.3.1). */
const LABEL_OFFSET = 7;

/**
 * Derives session keys (RFC 3711 §4.3, RFC 7714 §11) with a key derivation rate of zero, the only rate of SDES
 * without `KDR`.
 *
 * @param masterKey master key followed by master salt.
 */
export function deriveSessionKeys(
  suite: SrtpSuite,
  masterKey: Uint8Array,
  protocol: "rtp" | "rtcp",
): SessionKeys {
  const { keyBytes, saltBytes } = srtpSuites[suite];
  const firstLabel = protocol === "rtp" ? 0 : RTCP_LABELS;
  const derive = (label: number, bytes: number): Uint8Array => {
    const iv = Buffer.alloc(BLOCK_BYTES);
    // A salt of 96 bits is padded on the right with zeros to 112 bits.
    iv.set(masterKey.subarray(keyBytes, keyBytes + saltBytes));
    iv[LABEL_OFFSET] = (iv[LABEL_OFFSET] ?? 0) ^ (firstLabel + label);
    const cipher = createCipheriv(
      `aes-${keyBytes === 16 ? 128 : 256}-ctr`,
      masterKey.subarray(0, keyBytes),
      iv,
    );
    return cipher.update(Buffer.alloc(bytes));
  };
  return {
    encryption: derive(ENCRYPTION_LABEL, keyBytes),
    authentication: derive(AUTHENTICATION_LABEL, AUTHENTICATION_KEY_BYTES),
    salt: derive(SALT_LABEL, saltBytes),
  };
}
