/** Delays of real providers on a good day; text after the first token arrives word by word. */
export const providerDelays = {
  sttMs: 100,
  llmFirstTokenMs: 250,
  llmBetweenChunksMs: 15,
  ttsMs: 120,
};

/** Question of a caller. Each text contains its line and its place, so that its parts can be found again. */
export function questionText(line: number, index: number): string {
  return `This is question ${index} on line ${line}`;
}

/** Beginning of the answer, up to the comma that completes the first clause. */
export function firstClauseOf(question: string): string {
  const [index = "0", line = "0"] = question.match(/\d+/g) ?? [];
  return `Reply ${line} ${index} is here,`;
}

/** Tokens of a first clause: the model sends one word at a time. */
export const FIRST_CLAUSE_TOKENS = 5;

/** Two clauses, about 2.3 s of speech. */
export function replyText(question: string): string {
  return `${firstClauseOf(question)} that is all of it.`;
}
