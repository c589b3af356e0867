/**
 * Checks the words of comments and pages (CONTRIBUTING.md, "Rules"): prints each that has a plainer or an American form, and
 * exits with status 1 if there is one. Quoted text and code are not checked.
 */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";

/** Each pattern with what to write in place of its matches. */
const replacements: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/\b(nobody|whoever)\b/i, "name who it is, or state the condition"],
  [/\bwhatever\b/i, '"regardless of", "any"'],
  [/\bthereof\b/i, '"of it"'],
  [/\belsewhere\b/i, "name the place"],
  [/\bat hand\b/i, '"available", "present"'],
  [/\bnone of it\b/i, "a positive sentence"],
  [/\bunless told\b/i, '"default"'],
  [/\bjudgements?\b/i, '"judgment"'],
  [
    /\b(behaviour|colour|honour|favour|centre|licence|catalogue|dialled|dialling|cancelling)(s|ed)?\b/i,
    "American spelling",
  ],
  [
    /\b(normal|serial|initial|author|organ|recogn|synthes|optim|summar|minim|maxim)is(e|es|ed|ing|ation)\b/i,
    '"-ize"',
  ],
];

/** One line for each word of this text that has a better one. */
export function findWords(file: string, text: string): string[] {
  const prose = file.endsWith(".md") ? blankCode(text) : blankAllButComments(file, text);
  return prose.split("\n").flatMap((line, index) =>
    replacements.flatMap(([pattern, advice]) => {
      const [word] = pattern.exec(withoutQuotes(line)) ?? [];
      return word === undefined ? [] : [`${file}:${index + 1}: "${word}": write instead: ${advice}`];
    }),
  );
}

function blankCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, blank);
}

function blankAllButComments(file: string, text: string): string {
  let prose = blank(text);
  for (const { start, end } of parseSync(file, text).comments)
    prose = prose.slice(0, start) + text.slice(start, end) + prose.slice(end);
  return prose;
}

/** Keeps the line breaks, so that line numbers stay right. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

function withoutQuotes(line: string): string {
  return line.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, "");
}

if (import.meta.main) {
  const exclude = (name: string): boolean => /node_modules|generated|^reference$/.test(path.basename(name));
  for await (const file of glob(
    ["{apps,packages,e2e,bench,tools,examples}/**/*.{ts,tsx,md}", "*.md", "docs/**/*.md"],
    { exclude },
  ))
    for (const problem of findWords(file, await readFile(file, "utf8"))) {
      console.error(problem);
      process.exitCode = 1;
    }
}
