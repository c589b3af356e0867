import { digitWords } from "./number-words.ts";

const EMAIL = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const URL_WITH_SCHEME = /\bhttps?:\/\/[^\s,;)]*[^\s,;).!?'"]/gi;
const BARE_DOMAIN =
  /\b(?:[a-z\d-]+\.)+(?:com|org|net|io|ai|dev|app|edu|gov|info|biz|co|uk|us|ca|de|eu)(?:\/[^\s,;)]*[^\s,;).!?'"])?(?![\w.]*\w)/gi;

const SYMBOL_NAMES: Record<string, string> = {
  ".": "dot",
  "@": "at",
  "-": "dash",
  _: "underscore",
  "/": "slash",
  "+": "plus",
  "?": "question mark",
  "=": "equals",
  "&": "and",
  "#": "hash",
  ":": "colon",
};

/** Top-level domains that are spelled; `com`, `org` and `net` are spoken as words. */
const SPELLED_DOMAINS = new Set(["io", "ai", "uk", "us", "ca", "de", "eu", "edu"]);

function speakAddress(address: string): string {
  const parts = address.match(/[a-z]+|\d+|[^a-z\d]/gi) ?? [];
  const words = parts.map((part, index) => {
    if (/\d/.test(part)) {
      return digitWords(part);
    }
    const symbol = SYMBOL_NAMES[part];
    if (symbol !== undefined) {
      return symbol;
    }
    const lower = part.toLowerCase();
    if (lower === "www" || (SPELLED_DOMAINS.has(lower) && parts[index - 1] === ".")) {
      return lower.toUpperCase().split("").join(" ");
    }
    return lower;
  });
  return ` ${words.join(" ")} `;
}

/** `info@acme.com` → `info at acme dot com`, `https://acme.io/faq` → `acme dot I O slash faq`. */
export function expandAddresses(text: string): string {
  return text
    .replace(EMAIL, speakAddress)
    .replace(URL_WITH_SCHEME, (url) => speakAddress(url.replace(/^https?:\/\//i, "").replace(/\/$/, "")))
    .replace(BARE_DOMAIN, speakAddress);
}
