import type { FlowDefinition, IntentName } from "./flow-definition.ts";
import { wordsOf } from "./flow-text.ts";
import type { FlowInput } from "./flow-state.ts";

const INTENTS: readonly IntentName[] = ["human", "goodbye", "repeat"];

/** Meaning of the intents, for the language model. */
export const INTENT_MEANINGS: Readonly<Record<IntentName, string>> = {
  human: "they ask for a person instead of answering",
  goodbye: "they end the conversation",
  repeat: "they ask to hear the question again",
};

const ENGLISH: Readonly<Record<IntentName, readonly string[]>> = {
  human: [
    "human",
    "operator",
    "agent",
    "a person",
    "a human",
    "a real person",
    "representative",
    "speak to a person",
    "talk to a person",
    "speak to someone",
    "talk to someone",
  ],
  goodbye: ["bye", "goodbye", "good bye", "bye bye", "hang up"],
  repeat: [
    "repeat",
    "repeat that",
    "repeat please",
    "please repeat",
    "pardon",
    "what",
    "sorry what",
    "say that again",
    "can you repeat that",
    "again please",
  ],
};

/** Names of the intents that the flow has. */
export function intentsOf({ intents = {} }: FlowDefinition): IntentName[] {
  return INTENTS.filter((name) => intents[name] !== undefined);
}

/** The intent whose key was pressed, or one of whose phrases is the whole answer. */
export function findIntent(
  definition: FlowDefinition,
  { text, isKeys }: FlowInput,
  language: string,
): IntentName | undefined {
  const { intents = {} } = definition;
  const words = wordsOf(text);
  const known = /^en(-|$)/i.test(language) ? ENGLISH : undefined;
  return intentsOf(definition).find((name) => {
    const { phrases = [], key } = intents[name] ?? {};
    if (isKeys) return key === text;
    return known?.[name].includes(words) === true || phrases.some((phrase) => wordsOf(phrase) === words);
  });
}
