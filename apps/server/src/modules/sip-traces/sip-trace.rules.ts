/** What a trace keeps of a SIP message, and what it must not. */
import { createHash } from "node:crypto";

/** Longer than any client makes them. */
const MAX_STORED_CALL_ID_LENGTH = 255;

/** Parameters of credentials that say who asks and how, but nothing that a password could be guessed by. */
const openParameters = new Set(["username", "realm", "uri", "algorithm", "qop", "nc", "nonce", "stale"]);

/** Header fields whose value proves that a password is known (RFC 3261 §20.7, §20.28; RFC 7616 §3.5). */
const credentialLine =
  /^((?:proxy-)?authorization|(?:proxy-)?authentication-info)([ \t]*:[ \t]*)((?:[^\r\n]|\r?\n[ \t])*)/gim;

/** Where SDES puts its keys (RFC 4568 §6.1), and where SDP did before (RFC 4566 §5.12). */
const cryptoLine = /^(?:a=crypto:|k=[a-z0-9]+:)[^\r\n]*/gim;

/** What stands between two characters that end a user part: with an `@` after it, a user part and what precedes it. */
const userParts = /[^\s@;<>"]+/g;

/** Scheme, user and colon of a SIP URI with a password (RFC 3261 §19.1.1). */
const userWithPassword = /\bsips?:[^:]+:/i;

/** Every character of credentials belongs to one of these, so that reading them takes linear time. */
const credentialTokens = /"(?:[^"\\]|\\[^])*"?|[^\s,="]+|=|[\s,]+/g;

/**
 * The message with every secret replaced by as many asterisks: passwords and what proves them, SRTP keys. Its length
 * stays the same, and with it Content-Length true.
 *
 * @param message Bytes as characters (`latin1`), so that nothing of them is lost.
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

/** Keeps names and the values of open parameters; everything else, whatever its form, may be a secret. */
function maskParameters(text: string): string {
  const tokens = text.match(credentialTokens) ?? [];
  let name = "";
  /** Where in `name=value` the reading is. */
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

/** Line ends stay, so that a folded header field remains one. */
function stars(text: string): string {
  return text.replace(/[^\s"]/g, "*");
}

/** The value of Call-ID, by which a message belongs to a call; `undefined` for what is no SIP message. */
export function sipCallIdOf(message: string): string | undefined {
  const headEnd = message.indexOf("\r\n\r\n");
  const head = headEnd === -1 ? message : message.slice(0, headEnd);
  return /^(?:call-id|i)[ \t]*:[ \t]*(\S+)[ \t]*$/im.exec(head)?.[1];
}

/** A SIP Call-ID as records and traces name it: itself, or its hash if it is long; a peer chooses how long it is. */
export function storableSipCallId(sipCallId: string): string {
  if (sipCallId.length > MAX_STORED_CALL_ID_LENGTH)
    return `sha256:${createHash("sha256").update(sipCallId).digest("hex")}`;
  // A copy: a piece of a message would keep the whole of it alive.
  return Buffer.from(sipCallId).toString();
}
