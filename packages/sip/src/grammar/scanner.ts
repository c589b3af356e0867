/** Characters of `token` (RFC 3261 §25.1): alphanum and `-.!%*_+`'~`. */
const isTokenCode = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.!%*_+`'~") {
  isTokenCode[character.charCodeAt(0)] = 1;
}

export const Code = {
  tab: 0x09,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  slash: 0x2f,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  semicolon: 0x3b,
  lessThan: 0x3c,
  equals: 0x3d,
  greaterThan: 0x3e,
  leftBracket: 0x5b,
  backslash: 0x5c,
  delete: 0x7f,
} as const;

/**
 * Reads one unfolded header value from left to right. A reading method returns `undefined` (or `false`) if the
 * text does not match; the scanner must not be used after that.
 */
export class Scanner {
  readonly text: string;
  position: number;

  constructor(text: string, position = 0) {
    this.text = text;
    this.position = position;
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** The character code at the position, or NaN at the end (NaN equals no code). */
  peek(): number {
    return this.text.charCodeAt(this.position);
  }

  /** Skips spaces and tabs, the only linear white space left after unfolding (RFC 3261 §7.3.1). */
  skipWhitespace(): void {
    const { text } = this;
    let position = this.position;
    for (;;) {
      const code = text.charCodeAt(position);
      if (code !== Code.space && code !== Code.tab) break;
      position++;
    }
    this.position = position;
  }

  /** Reads the separator and the white space around it (`SEMI`, `COMMA`, `SLASH` … of §25.1). */
  takeSeparator(code: number): boolean {
    this.skipWhitespace();
    if (this.peek() !== code) return false;
    this.position++;
    this.skipWhitespace();
    return true;
  }

  readToken(): string | undefined {
    const { text } = this;
    const start = this.position;
    let position = start;
    while (isTokenCode[text.charCodeAt(position)] === 1) position++;
    if (position === start) return undefined;
    this.position = position;
    return text.slice(start, position);
  }

  /** Reads a quoted string as written, including quotes and escapes. */
  readQuotedString(): string | undefined {
    const { text } = this;
    const start = this.position;
    let position = start + 1;
    for (; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (code === Code.backslash) position++;
      else if (code === Code.quote) {
        this.position = position + 1;
        return text.slice(start, position + 1);
      }
    }
    return undefined;
  }

  /** Reads decimal digits; `undefined` above `maximum`. */
  readNumber(maximum: number): number | undefined {
    const { text } = this;
    let position = this.position;
    let value = 0;
    for (;;) {
      const code = text.charCodeAt(position);
      if (!(code >= Code.zero && code <= Code.nine)) break;
      value = value * 10 + (code - Code.zero);
      if (value > maximum) return undefined;
      position++;
    }
    if (position === this.position) return undefined;
    this.position = position;
    return value;
  }

  /** Reads a host name, IPv4 address or bracketed IPv6 reference (§25.1 `host`); accepts the common underscore. */
  readHost(): string | undefined {
    const { text } = this;
    const start = this.position;
    let position = start;
    if (text.charCodeAt(position) === Code.leftBracket) {
      position = text.indexOf("]", start) + 1;
      if (position === 0 || !/^\[[0-9A-Fa-f:.]{2,45}\]$/.test(text.slice(start, position))) return undefined;
    } else {
      while (isHostCode(text.charCodeAt(position))) position++;
      if (position === start) return undefined;
    }
    this.position = position;
    return text.slice(start, position);
  }
}

function isHostCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= Code.zero && code <= Code.nine) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x2e ||
    code === 0x2d ||
    code === 0x5f
  );
}

/** True if the character is allowed in a header field only as a quoted pair (RFC 3261 §25.1); a tab is white space. */
export function isControl(code: number): boolean {
  return (code < Code.space && code !== Code.tab) || code === Code.delete;
}

export function containsControl(text: string): boolean {
  for (let position = 0; position < text.length; position++) {
    if (isControl(text.charCodeAt(position))) return true;
  }
  return false;
}

export function isToken(text: string): boolean {
  const scanner = new Scanner(text);
  return scanner.readToken() !== undefined && scanner.isAtEnd();
}

/** The text inside a quoted string with its escapes resolved; returns any other text unchanged. */
export function unquote(text: string): string {
  if (text.charCodeAt(0) !== Code.quote) return text;
  const inner = text.slice(1, text.endsWith('"') ? -1 : undefined);
  return inner.includes("\\") ? inner.replace(/\\(.)/gs, "$1") : inner;
}

export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Splits a comma-separated header value (RFC 3261 §7.3.1); ignores commas in quotes and angle brackets. */
export function splitList(value: string): string[] {
  if (!value.includes(",")) return value === "" ? [] : [value];
  const items: string[] = [];
  let start = 0;
  let inQuotes = false;
  let inAngles = false;
  for (let position = 0; position <= value.length; position++) {
    const code = value.charCodeAt(position);
    if (inQuotes) {
      if (code === Code.backslash) position++;
      else if (code === Code.quote) inQuotes = false;
    } else if (code === Code.quote) inQuotes = true;
    else if (code === Code.lessThan) inAngles = true;
    else if (code === Code.greaterThan) inAngles = false;
    else if (code === Code.comma && !inAngles) {
      items.push(value.slice(start, position).trim());
      start = position + 1;
    }
  }
  items.push(value.slice(start).trim());
  return items.filter((item) => item !== "");
}
