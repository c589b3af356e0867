/** Rules for storing SIP messages without their secrets. */
import { createHash } from "node:crypto";

/** Longer than the Call-IDs of any common client. */
const MAX_STORED_CALL_ID_LENGTH = 255;

/** Parameters of credentials that identify the request but do not help to guess a password. */
const openParameters = new Set(["username", "realm", "uri", "algorithm", "qop", "nc", "nonce", "stale"]);

/** Header fields whose value proves knowledge of a password (RFC 3261 §20.7, §20.28; RFC 7616 §3.5). */
const credentialLine =
  /^((?:proxy-)?authorization|(?:proxy-)?authentication-info)([ \t]*:[ \t]*)((?:[^\r\n]|\r?\n[ \t])*)/gim;

/** Keys of SDES (RFC 4568 §6.1) and of older SDP (RFC 4566 §5.12). */
const cryptoLine = /^(?:a=crypto:|k=[a-z0-9]+:)[^\r\n]*/gim;

/** Text between two characters that end a user part. If `@` follows, it ends with a user part. */
const userParts = /[^\s@;<>"]+/g;

/** Scheme, user and colon of a SIP URI with a password (RFC 3261 §19.1.1). */
const userWithPassword = /\bsips?:[^:]+:/i;

/** Every character of credentials matches one of these, so that parsing takes linear time. */
const credentialTokens = /"(?:[^"\\]|\\[^])*"?|[^\s,="]+|=|[\s,]+/g;

/**
 * Replaces each character of a secret with an asterisk: passwords and their proofs, SRTP keys. The length
 * does not change, so Content-Length stays correct.
 *
 * @param message Bytes as characters (`latin1`), so that no byte is lost.
 */
export function maskSecrets(message: string): string {
  return message
    .replace(
      credentialLine,
      (_line, name: string, colon: string, value: string) => name + colon + maskCredentials(value),
    )
    .replace(cryptoLine, (line) =>
      line.replace(
        /(inline:|^k=\w+:)([^\s|;]+)/gi,
        (_key, before: string, key: string) => before + stars(key),
      ),
    )
    .replace(userParts, (part, offset: number, whole: string) =>
      whole[offset + part.length] === "@" ? maskPassword(part) : part,
    );
}

function maskPassword(userPart: string): string {
  const found = userWithPassword.exec(userPart);
  if (found === null) return userPart;
  const start = found.index + found[0].length;
  return userPart.slice(0, start) + stars(userPart.slice(start));
}

function maskCredentials(value: string): string {
  const scheme = /^\S+\s*/.exec(value)?.[0] ?? "";
  const isDigest = /^digest\s/i.test(scheme);
  const hasScheme = !/[=,]/.test(scheme);
  const parameters = hasScheme ? value.slice(scheme.length) : value;
  if (hasScheme && !isDigest) return scheme + stars(parameters);
  return hasScheme ? scheme + maskParameters(parameters) : maskParameters(parameters);
}

/** Keeps names and the values of open parameters. All other text may be a secret, in any form. */
function maskParameters(text: string): string {
  const tokens = text.match(credentialTokens) ?? [];
  let name = "";
  /** Position in `name=value`. */
  let place: "name" | "equals" | "value" = "name";
  return tokens
    .map((token, index) => {
      if (/^[\s,]/.test(token)) {
        if (place === "value" || token.includes(",")) [name, place] = ["", "name"];
        return token;
      }
      if (token === "=" && place === "name") {
        place = "equals";
        return token;
      }
      const next = tokens[index + 1] ?? "";
      const afterBlank = /^\s/.test(next) && !next.includes(",") ? tokens[index + 2] : next;
      if (place === "name" && afterBlank === "=" && !token.startsWith('"')) {
        name = token.toLowerCase();
        return token;
      }
      const isOpen = place !== "name" && openParameters.has(name);
      if (place === "equals") place = "value";
      return isOpen ? token : stars(token);
    })
    .join("");
}

/** Keeps line ends, so that a folded header field remains one field. */
function stars(text: string): string {
  return text.replace(/[^\s"]/g, "*");
}

/** Returns the Call-ID, which assigns a message to a call; `undefined` if the text is not a SIP message. */
export function sipCallIdOf(message: string): string | undefined {
  const headEnd = message.indexOf("\r\n\r\n");
  const head = headEnd === -1 ? message : message.slice(0, headEnd);
  return /^(?:call-id|i)[ \t]*:[ \t]*(\S+)[ \t]*$/im.exec(head)?.[1];
}

/**
 * Returns the SIP Call-ID as records and traces store it: itself, or its hash if it is long. Peers choose its
 * length.
 */
export function storableSipCallId(sipCallId: string): string {
  if (sipCallId.length > MAX_STORED_CALL_ID_LENGTH)
    return `sha256:${createHash("sha256").update(sipCallId).digest("hex")}`;
  // A copy: a slice would keep the whole message alive.
  return Buffer.from(sipCallId).toString();
}
