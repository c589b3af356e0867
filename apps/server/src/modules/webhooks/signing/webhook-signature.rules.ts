import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** Event id, the same for all attempts. */
  id: string;
  /** Body exactly as sent. */
  body: string;
  /** Time of the attempt. */
  at: Date;
}

/**
 * Headers that identify the event and sign it with each of the secrets (newest first): our own headers and those of
 * Standard Webhooks. Without a secret, the event is not signed.
 */
export function signatureHeaders(
  { id, body, at }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secrets.length === 0) return headers;
  const own = secrets.map((secret) => `v1=${hmac(secret, `${timestamp}.${body}`, "hex")}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(standardKey(secret), `${id}.${timestamp}.${body}`, "base64")}`,
  );
  return {
    ...headers,
    "webhook-signature": standard.join(" "),
    "x-service-signature": [`t=${timestamp}`, ...own].join(","),
  };
}

/** Key of Standard Webhooks: the secret, decoded from base64. */
function standardKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

function hmac(key: string | Buffer, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text, "utf8").digest(encoding);
}
