import { createHmac } from "node:crypto";

/** What browsers are told of, to reach us or be reached. */
export interface IceServerSettings {
  stunUrls: readonly string[];
  turn: { urls: readonly string[]; secret: string } | undefined;
}

const CREDENTIAL_SECONDS = 3600;

/**
 * The `Link` header of a WHIP answer (RFC 9725 §4.6). TURN credentials are of this call and this hour: the user name is when
 * they end and whose they are, the password its HMAC-SHA1 under the secret that the TURN server knows
 * (draft-uberti-behave-turn-rest-00, as coturn has it). Undefined: the operator has no such servers.
 */
export function toLinkHeader(
  { stunUrls, turn }: IceServerSettings,
  callId: string,
  now: Date,
): string | undefined {
  const links = stunUrls.map((url) => `<${url}>; rel="ice-server"`);
  if (turn !== undefined) {
    const username = `${Math.floor(now.getTime() / 1000) + CREDENTIAL_SECONDS}:${callId}`;
    const credential = createHmac("sha1", turn.secret).update(username).digest("base64");
    const parameters = `rel="ice-server"; username="${username}"; credential="${credential}"; credential-type="password"`;
    links.push(...turn.urls.map((url) => `<${url}>; ${parameters}`));
  }
  return links.length === 0 ? undefined : links.join(", ");
}
