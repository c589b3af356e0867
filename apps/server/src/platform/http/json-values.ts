const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/**
 * Whether JSON holds more than about `most` values, by the signs that begin lists and objects and part their values. Reads
 * each character once and builds nothing, and takes any text: what is no JSON is for the parser to refuse.
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
