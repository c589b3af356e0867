/** What a trace keeps of a SIP message, and what it must not. */

/** Parameters of credentials that say who asks and how, but nothing that a password could be guessed by. */
const openParameters = new Set(["username", "realm", "uri", "algorithm", "qop", "nc", "nonce", "stale"]);

/** Header fields whose value proves that a password is known (RFC 3261 §20.7, §20.28; RFC 7616 §3.5). */
const credentialLine =
  /^((?:proxy-)?authorization|(?:proxy-)?authentication-info)([ \t]*:[ \t]*)((?:[^\r\n]|\r?\n[ \t])*)/gim;

/** Where SDES puts its keys (RFC 4568 §6.1), and where SDP did before (RFC 4566 §5.12). */
const cryptoLine = /^(?:a=crypto:|k=[a-z0-9]+:)[^\r\n]*/gim;

/** The password in a SIP URI (RFC 3261 §19.1.1). */
const uriPassword = /(\bsips?:[^\s:@;<>"]+:)([^\s@;<>"]+)(?=@)/gi;

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
    .replace(uriPassword, (_match, before: string, password: string) => before + stars(password));
}

function maskCredentials(value: string): string {
  const scheme = /^\S+\s*/.exec(value)?.[0] ?? "";
  const isDigest = /^digest\s/i.test(scheme);
  const hasScheme = !/[=,]/.test(scheme);
  const parameters = hasScheme ? value.slice(scheme.length) : value;
  if (hasScheme && !isDigest) return scheme + stars(parameters);
  const masked = parameters.replace(
    /([\w-]+)(\s*=\s*)("(?:[^"\\]|\\[^])*"?|[^\s,]*)/g,
    (pair: string, name: string, equals: string, text: string) =>
      openParameters.has(name.toLowerCase()) ? pair : name + equals + stars(text),
  );
  return hasScheme ? scheme + masked : masked;
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
