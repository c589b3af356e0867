import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** The event's: the same over all attempts. */
  id: string;
  /** Exactly as sent. */
  body: string;
  /** The attempt's time. */
  at: Date;
}

/**
 * The headers by which a receiver knows the event, and with each of the secrets (newest first) that it is from us: our own
 * and those of Standard Webhooks. Without a secret nothing is signed.
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

/** Standard Webhooks: the key is what the secret's base64 stands for. */
function standardKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

function hmac(key: string | Buffer, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text, "utf8").digest(encoding);
}
