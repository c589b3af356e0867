const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/**
 * Whether JSON contains more than about `most` values, by the characters that begin lists and objects and separate
 * their values. Reads each character once and allocates nothing. Accepts any text: the parser rejects malformed JSON.
 */
export function hasMoreValues(json: string, most: number): boolean {
  let count = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) isText = !isText;
    else if (!isText && (code === COMMA || code === BRACE || code === BRACKET) && ++count > most) return true;
  }
  return false;
}
