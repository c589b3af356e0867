import type {
  LanguageModel,
  SpeechToText,
  TextToSpeech,
  TurnEndDetector,
  VoiceActivityDetector,
} from "@parley/conversation";
import type { CallScope } from "../platform/call-scope.ts";

// Calls of a process share the providers: an exception in one conversation's callback must not reach them, and objects
// that they create for a call belong to that call.

export function scopeSpeechToText(scope: CallScope, stt: SpeechToText): SpeechToText {
  return replace(stt, {
    open: (options) => scope.run(() => stt.open({ ...options, onEvent: scope.guard(options.onEvent) })),
  });
}

export function scopeTextToSpeech(scope: CallScope, tts: TextToSpeech): TextToSpeech {
  return replace(tts, {
    open: (options) => scope.run(() => tts.open({ ...options, onEvent: scope.guard(options.onEvent) })),
  });
}

export function scopeVoiceActivity(scope: CallScope, vad: VoiceActivityDetector): VoiceActivityDetector {
  return replace(vad, {
    open: (options) =>
      scope.run(() => vad.open({ ...options, onProbability: scope.guard(options.onProbability) })),
  });
}

export function scopeTurnEnd(scope: CallScope, turnEnd: TurnEndDetector): TurnEndDetector {
  return replace(turnEnd, {
    open: (options) =>
      scope.run(() => turnEnd.open({ ...options, onProbability: scope.guard(options.onProbability) })),
  });
}

export function scopeLanguageModel(scope: CallScope, model: LanguageModel): LanguageModel {
  return replace(model, {
    doGenerate: (options) => scope.run(() => model.doGenerate(options)),
    doStream: (options) => scope.run(() => model.doStream(options)),
  });
}

/** Proxy of an object with some methods replaced. A copy would lack the methods of its class's prototype. */
export function replace<T extends object>(provider: T, methods: Partial<T>): T {
  return new Proxy(provider, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      // Only the original object has the private fields.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
