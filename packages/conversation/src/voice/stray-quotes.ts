const QUOTE = /["“”„«»]/g;

/**
 * Trims a text and removes double quotation marks that have no partner, and those around the whole text: models quote
 * their own words, recognizers write half of a pair, and an interruption cuts one off.
 */
export function withoutStrayQuotes(text: string): string {
  const unpaired = new Set<number>();
  let opened: number | undefined;
  let pairs = 0;
  for (const { 0: mark, index } of text.matchAll(QUOTE)) {
    if (opens(mark, text[index - 1])) {
      if (opened !== undefined) unpaired.add(opened);
      opened = index;
    } else if (opened === undefined) unpaired.add(index);
    else {
      pairs++;
      opened = undefined;
    }
  }
  if (opened !== undefined) unpaired.add(opened);
  const trimmed = removeAt(text, unpaired).trim();
  const isWrapped = pairs === 1 && /^["“„«].*["“”»]$/su.test(trimmed);
  return isWrapped ? trimmed.slice(1, -1).trim() : trimmed;
}

/** Guillemets have a direction; the other marks open a quotation if they follow a space, a bracket or nothing. */
function opens(mark: string, before: string | undefined): boolean {
  if (mark === "«" || mark === "»") return mark === "«";
  return before === undefined || /[\s([–—-]/.test(before);
}

function removeAt(text: string, indexes: ReadonlySet<number>): string {
  return text
    .split("")
    .filter((_, index) => !indexes.has(index))
    .join("");
}
