/** Words of a text for comparison: in lower case, without punctuation. Apostrophes within words do not split them. */
export function toWords(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/(?<=[\p{L}\p{N}])['’ʼ](?=[\p{L}\p{N}])/gu, "");
  return plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Whether the words occur one after the other. No words occur nowhere. */
export function containsWords(words: readonly string[], sought: readonly string[]): boolean {
  if (sought.length === 0) return false;
  return words.some((_, start) => sought.every((word, offset) => words[start + offset] === word));
}
