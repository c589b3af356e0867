/** RFC 9110 §5.6.2. */
const tokenPattern = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Headers that belong to the connection and not to the request (RFC 9110 §7.6.1), or describe its framing. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers by which a tool's server recognizes Parley. */
const ownPattern = /^(?:x-parley-.*|x-service-signature|webhook-(?:id|timestamp|signature))$/;

interface HeaderProblem {
  field: "key" | "value";
  message: string;
}

/** Problem of a header that a tool's requests are to have; `undefined` if it can be sent. */
export function findHeaderProblem(key: string, value: string): HeaderProblem | undefined {
  const name = key.toLowerCase();
  if (!tokenPattern.test(key)) {
    const message = "must be a header name: letters, digits and any of !#$%&'*+-.^_`|~";
    return { field: "key", message };
  }
  if (ofConnection.has(name))
    return { field: "key", message: "must not be a header of the connection, which Parley sets itself" };
  if (ownPattern.test(name))
    return { field: "key", message: "must not be a header by which Parley identifies its requests" };
  if (/\p{Cc}/u.test(value.replaceAll("\t", " ")))
    return { field: "value", message: "must not contain line breaks or other control characters" };
  return undefined;
}
