/**
 * Share (0–1) of `expected`'s words that `heard` contains in the same order, ignoring case, punctuation and the
 * spelling of numbers.
 */
export function wordOverlap(expected: string, heard: string): number {
  const wanted = words(expected);
  const given = words(heard);
  if (wanted.length === 0) return 1;
  return longestCommonSubsequence(wanted, given) / wanted.length;
}

function words(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll(/check[- ]up/g, "checkup")
      .match(/[a-z0-9']+/g) ?? []
  );
}

function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++) {
      next.push(b[j - 1] === word ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
