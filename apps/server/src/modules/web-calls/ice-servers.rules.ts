import { createHmac } from "node:crypto";

/** The operator's STUN and TURN servers, as given to browsers. */
export interface IceServerSettings {
  stunUrls: readonly string[];
  turn: { urls: readonly string[]; secret: string } | undefined;
}

const CREDENTIAL_SECONDS = 3600;

/**
 * Returns the `Link` header of a WHIP answer (RFC 9725 §4.6); `undefined` if there are no ICE servers. TURN
 * credentials are valid for one call and one hour: the user name is their expiry time and the call's id, the
 * password its HMAC-SHA1 with the TURN server's secret (draft-uberti-behave-turn-rest-00, as in coturn).
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
