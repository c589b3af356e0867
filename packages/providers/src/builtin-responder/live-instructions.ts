/** What can be done with instructions of a conversation without a language model. */
export interface LiveInstructions {
  /** Sentences to say in the next reply, word for word. */
  toSay: string[];
  /** The other instructions, as further text of the prompt: their statements answer questions. */
  stated: string[];
}

const LISTENER = String.raw`(?:the )?(?:caller|customer|user|client|guest|patient|person|them|him|her)`;

/** "Tell the caller that we are closed": the part after it is to be said. */
const ORDER_TO_SAY = new RegExp(
  String.raw`^(?:please |also |now |then )*(?:(?:say|mention|add|announce|explain)(?: to ${LISTENER})?|(?:tell|inform|remind) ${LISTENER}|let ${LISTENER} know)` +
    String.raw`(?:\s*[:,]\s*| that |\s+(?=["“]))(?<words>\S.*)$`,
  "is",
);

const QUOTED = /^["“](?<words>.*)["”]\.?$/s;

/** Sorts instructions into sentences to say and statements to know. */
export function readLiveInstructions(
  instructions: readonly { text: string; isNew: boolean }[],
): LiveInstructions {
  const read: LiveInstructions = { toSay: [], stated: [] };
  for (const { text, isNew } of instructions) {
    const words = ORDER_TO_SAY.exec(text.trim())?.groups?.["words"];
    if (words === undefined) read.stated.push(text);
    else {
      const sentence = asSentence(words);
      // It stays known after it was said.
      read.stated.push(sentence);
      if (isNew) read.toSay.push(sentence);
    }
  }
  return read;
}

function asSentence(words: string): string {
  const text = (QUOTED.exec(words)?.groups?.["words"] ?? words).trim();
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
