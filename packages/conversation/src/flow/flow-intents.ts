import type { FlowDefinition, IntentName } from "./flow-definition.ts";
import { SpokenPhrase } from "./flow-phrases.ts";
import { wordsOf } from "./flow-text.ts";
import type { FlowInput } from "./flow-state.ts";

const INTENTS: readonly IntentName[] = ["human", "goodbye", "repeat"];

/** Meaning of the intents, for the language model. */
export const INTENT_MEANINGS: Readonly<Record<IntentName, string>> = {
  human: "they ask for a person instead of answering",
  goodbye: "they end the conversation",
  repeat: "they ask to hear the question again",
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
  const phrase = new SpokenPhrase(text, language);
  return intentsOf(definition).find((name) => {
    const { phrases = [], key } = intents[name] ?? {};
    if (isKeys) return key === text;
    return phrase.is(name) || phrases.some((own) => wordsOf(own) === words);
  });
}
