import { LocalSpeechPlaces } from "./local-speech-places.ts";

/** Speech places of a machine whose speed is not known yet. */
export const unlimitedSpeechPlaces = (): LocalSpeechPlaces =>
  new LocalSpeechPlaces({
    speechToText: { provider: "local" },
    textToSpeech: { provider: "local" },
    providerAccess: {},
    maxLocalCalls: undefined,
  });
