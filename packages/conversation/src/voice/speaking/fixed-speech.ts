import { ClauseSplitter } from "./clause-splitter.ts";
import { isSpeakable, speakableText } from "./speakable-text.ts";
import { standardTexts } from "./speech-texts.ts";

/** The clauses in which a text is handed to a voice that says it as it is. */
export function splitIntoClauses(text: string): string[] {
  const splitter = new ClauseSplitter();
  const clauses = [...splitter.push(text), ...splitter.flush()];
  return clauses.map((clause) => speakableText(clause)).filter((clause) => isSpeakable(clause));
}

/** All that any agent may say without its model, the most frequent first. */
export function listStandardTexts(language: string): string[] {
  const { fillers, repeatRequest, apology } = standardTexts(language);
  return [...fillers, repeatRequest, apology];
}
