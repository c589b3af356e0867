import { ClauseSplitter } from "./clause-splitter.ts";
import { isSpeakable, speakableText } from "./speakable-text.ts";
import { standardTexts } from "./speech-texts.ts";

/** Splits a fixed text into the clauses in which a voice receives it. */
export function splitIntoClauses(text: string): string[] {
  const splitter = new ClauseSplitter();
  const clauses = [...splitter.push(text), ...splitter.flush()];
  return clauses.map((clause) => speakableText(clause)).filter((clause) => isSpeakable(clause));
}

/** All standard texts of a language, the most frequent first. */
export function listStandardTexts(language: string): string[] {
  const { fillers, noAnswer, repeatRequest, apology } = standardTexts(language);
  return [...fillers, noAnswer, repeatRequest, apology];
}
