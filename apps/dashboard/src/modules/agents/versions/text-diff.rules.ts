/** Differences between two texts by line, and within a changed line by word. */
import { diffLines, diffWordsWithSpace } from "diff";

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2;
/** Lines that have less in common than this share are shown as replaced as a whole. */
const MIN_COMMON_SHARE = 0.3;
const MAX_EDITS = 2000;

interface Word {
  text: string;
  isChanged: boolean;
}

export type DiffLine =
  | { kind: "same" | "removed" | "added"; words: readonly Word[] }
  | { kind: "skipped"; count: number };

export function diffTexts(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  const parts = diffLines(joined(old), joined(young), { maxEditLength: MAX_EDITS }) ?? [
    { value: joined(old), removed: true, added: false },
    { value: joined(young), removed: false, added: true },
  ];
  const lines: DiffLine[] = [];
  let removed: string[] = [];
  for (const part of parts) {
    const values = part.value.split("\n").slice(0, -1);
    if (part.removed) {
      removed = values;
    } else if (part.added) {
      lines.push(...diffBlock(removed, values));
      removed = [];
    } else {
      lines.push(...diffBlock(removed, []), ...values.map((value) => wholeLine("same", value)));
      removed = [];
    }
  }
  return collapse([...lines, ...diffBlock(removed, [])]);
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n"));
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

function wholeLine(kind: "same" | "removed" | "added", text: string): DiffLine {
  return { kind, words: [{ text, isChanged: false }] };
}

/** Removed lines, then the lines that replace them. Line for line, what differs is marked. */
function diffBlock(removed: readonly string[], added: readonly string[]): DiffLine[] {
  const before: DiffLine[] = removed.map((line) => wholeLine("removed", line));
  const after: DiffLine[] = added.map((line) => wholeLine("added", line));
  for (const [index, line] of removed.entries()) {
    const other = added[index];
    const pair = other === undefined ? undefined : diffLine(line, other);
    if (pair === undefined) continue;
    before[index] = { kind: "removed", words: pair.before };
    after[index] = { kind: "added", words: pair.after };
  }
  return [...before, ...after];
}

function diffLine(before: string, after: string): { before: Word[]; after: Word[] } | undefined {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return undefined;
  const common = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.length), 0);
  if (common < MIN_COMMON_SHARE * Math.max(before.length, after.length)) return undefined;
  return {
    before: parts
      .filter(({ added }) => !added)
      .map((part) => ({ text: part.value, isChanged: part.removed })),
    after: parts
      .filter(({ removed }) => !removed)
      .map((part) => ({ text: part.value, isChanged: part.added })),
  };
}

/** Replaces long runs of unchanged lines by their number. */
function collapse(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number): boolean =>
    lines
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ kind }) => kind !== "same");
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (line.kind !== "same" || isNear(index)) shown.push(line);
    else if (last?.kind === "skipped") last.count += 1;
    else shown.push({ kind: "skipped", count: 1 });
  }
  return shown;
}
