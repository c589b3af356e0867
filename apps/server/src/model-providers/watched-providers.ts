import type { LanguageModel, SpeechToText, TextToSpeech } from "@parley/conversation";
import { replace } from "./scoped-providers.ts";

// Providers that report when they answer: what they say themselves, for the circuits. Failures are events of conversations,
// which alone know the deadlines.

export function watchSpeechToText(stt: SpeechToText, onAnswer: () => void): SpeechToText {
  return replace(stt, {
    open: (options) =>
      stt.open({
        ...options,
        onEvent: (event) => {
          if (event.type === "flushed") onAnswer();
          options.onEvent(event);
        },
      }),
  });
}

export function watchTextToSpeech(tts: TextToSpeech, onAnswer: () => void): TextToSpeech {
  return replace(tts, {
    open: (options) => {
      let hasAnswered = false;
      return tts.open({
        ...options,
        onEvent: (event) => {
          if (event.type === "audio" && !hasAnswered) {
            hasAnswered = true;
            onAnswer();
          }
          options.onEvent(event);
        },
      });
    },
  });
}

export function watchLanguageModel(model: LanguageModel, onAnswer: () => void): LanguageModel {
  return replace(model, { onAnswer });
}
