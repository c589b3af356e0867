import { Parser } from "htmlparser2";

const MAX_LINKS = 2_000;
const MAX_ADDRESS_LENGTH = 1_000;

/** Addresses to which the page at `url` leads, at most `MAX_LINKS`. Empty if the page does not want them to be followed. */
export function readLinks(html: string, url: string): string[] {
  const links: string[] = [];
  let base = url;
  let isClosed = false;
  const parser = new Parser({
    onopentag: (name, { href, rel, name: about, content }) => {
      if (name === "base" && href !== undefined) base = URL.parse(href, url)?.href ?? base;
      if (name === "meta" && about?.toLowerCase() === "robots" && hasWord(content, "nofollow"))
        isClosed = true;
      if (name !== "a" || href === undefined || hasWord(rel, "nofollow")) return;
      const link = URL.parse(href, base)?.href;
      if (link !== undefined && link.length <= MAX_ADDRESS_LENGTH && links.length < MAX_LINKS)
        links.push(link);
    },
  });
  parser.write(html);
  parser.end();
  return isClosed ? [] : links;
}

function hasWord(value: string | undefined, word: string): boolean {
  return (value ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .includes(word);
}
