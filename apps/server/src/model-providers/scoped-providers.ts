import type {
  LanguageModel,
  SpeechToText,
  TextToSpeech,
  TurnEndDetector,
  VoiceActivityDetector,
} from "@parley/conversation";
import type { CallScope } from "../platform/call-scope.ts";

// Providers are shared by the calls of a process: what a conversation throws in a callback must not reach them, and what
// they create for a call belongs to that call.

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

/** The same object but for some methods. A copy would leave out what a class has in its prototype. */
function replace<T extends object>(provider: T, methods: Partial<T>): T {
  return new Proxy(provider, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      // Private fields are the original's.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
