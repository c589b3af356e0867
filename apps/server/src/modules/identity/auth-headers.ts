/** Header in which the library receives the client's address: it trusts no header of the client. */
export const CLIENT_ADDRESS_HEADER = "x-parley-client-address";

const SESSION_COOKIE = "parley.session_token=";

/** Whether a header `Cookie` can contain a session: without one the library need not be loaded. */
export function mayHaveSession(cookies: string | undefined): cookies is string {
  return cookies?.includes(SESSION_COOKIE) === true;
}
