/**
 * SRTP suites by their SDP names (RFC 4568 §6.2, RFC 7714 §14.1). The `_32` suite shortens only the RTP tag (RFC
 * 4568 §6.2.2).
 */
export const srtpSuites = {
  AES_CM_128_HMAC_SHA1_80: { mode: "counter", keyBytes: 16, saltBytes: 14, rtpTagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { mode: "counter", keyBytes: 16, saltBytes: 14, rtpTagBytes: 4 },
  AEAD_AES_128_GCM: { mode: "gcm", keyBytes: 16, saltBytes: 12 },
  AEAD_AES_256_GCM: { mode: "gcm", keyBytes: 32, saltBytes: 12 },
} as const;

export type SrtpSuite = keyof typeof srtpSuites;
