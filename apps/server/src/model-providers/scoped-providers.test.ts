import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextToSpeech, TextToSpeechEvent, TextToSpeechOptions } from "@parley/conversation";
import { CallScope } from "../platform/call-scope.ts";
import { scopeTextToSpeech } from "./scoped-providers.ts";

/** Voice that is written like an adapter: with a getter and a private field. */
class Voice implements TextToSpeech {
  readonly #factor = 0.5;
  readonly #name = "test/voice";
  options: TextToSpeechOptions | undefined;
  scope: CallScope | undefined;

  get name(): string {
    return this.#name;
  }

  assumedRealTimeFactorOf(): number {
    return this.#factor;
  }

  open(options: TextToSpeechOptions): ReturnType<TextToSpeech["open"]> {
    this.options = options;
    this.scope = CallScope.current;
    const nothing = (): void => {};
    return { speak: nothing, end: nothing, close: nothing, pause: nothing, resume: nothing };
  }
}

const ended: TextToSpeechEvent = { type: "ended" };

test("an exception in a conversation's callback reaches its own call once, and not the shared voice", () => {
  const faults: unknown[] = [];
  const scope = new CallScope((error) => faults.push(error));
  const voice = new Voice();
  const scoped = scopeTextToSpeech(scope, voice);
  assert.deepEqual([scoped.name, scoped.assumedRealTimeFactorOf?.("any")], ["test/voice", 0.5]);

  const fault = new Error("in a callback");
  let calls = 0;
  const onEvent = (): void => {
    calls++;
    throw fault;
  };
  scoped.open({ voice: "", sampleRateHz: 8000, language: "en", speed: 1, onEvent });
  assert.equal(voice.scope, scope);
  assert.equal(CallScope.current, undefined);
  voice.options?.onEvent(ended);
  voice.options?.onEvent(ended);
  assert.deepEqual(faults, [fault]);
  // The first exception ends the call.
  assert.equal(calls, 1);
  assert.equal(scope.fail(new Error("later")), false);
});
