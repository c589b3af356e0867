import { createHmac, timingSafeEqual } from "node:crypto";

/** What a session's token says. */
export interface WidgetSessionClaims {
  customerId: string;
  widgetKey: string;
  /** Origin of the page; empty for pages of this server. */
  origin: string;
  isIdentified: boolean;
  expiresAt: Date;
}

/** Tokens of visitors' sessions. Every node verifies them without a query. */
export class WidgetSessionTokens {
  readonly #keys: readonly Buffer[];

  /** @param keys Of 256 bits, the same on all nodes; the first one signs. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  issue({ customerId, widgetKey, origin, isIdentified, expiresAt }: WidgetSessionClaims): string {
    const content = JSON.stringify([customerId, widgetKey, origin, isIdentified, expiresAt.getTime()]);
    const payload = Buffer.from(content).toString("base64url");
    const [key = Buffer.of()] = this.#keys;
    return `${payload}.${sign(key, payload).toString("base64url")}`;
  }

  /** `undefined` if the token is not ours or has expired. */
  read(token: string, now: Date): WidgetSessionClaims | undefined {
    const [payload = "", signature = ""] = token.split(".");
    const given = Buffer.from(signature, "base64url");
    const isOurs = this.#keys.some((key) => {
      const expected = sign(key, payload);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!isOurs) return undefined;
    const [customerId, widgetKey, origin, isIdentified, expiresAtMs] = JSON.parse(
      Buffer.from(payload, "base64url").toString("utf8"),
    ) as [string, string, string, boolean, number];
    if (expiresAtMs <= now.getTime()) return undefined;
    return { customerId, widgetKey, origin, isIdentified, expiresAt: new Date(expiresAtMs) };
  }
}

function sign(key: Buffer, payload: string): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}
