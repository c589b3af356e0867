export interface Part {
  words: string;
  isQuoted: boolean;
}

/** Parts of a text, those that are quoted apart. Spaces and case of a quote may differ from the text. */
export function splitByQuotes(text: string, quotes: readonly string[]): Part[] {
  const patterns = quotes
    .map((quote) => quote.trim())
    .filter((quote) => quote !== "")
    .toSorted((one, other) => other.length - one.length)
    .map((quote) =>
      quote
        .split(/\s+/)
        .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
        .join("\\s+"),
    );
  if (patterns.length === 0) return [{ words: text, isQuoted: false }];
  return text
    .split(new RegExp(`(${patterns.join("|")})`, "iu"))
    .map((words, index) => ({ words, isQuoted: index % 2 === 1 }))
    .filter(({ words }) => words !== "");
}
