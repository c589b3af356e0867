import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SpeechToTextEvent } from "@parley/conversation";
import { ensureModels } from "../../models/fetch.ts";
import { createInProcessInference } from "../inference/in-process-client.ts";
import { overTelephone, readRecording } from "../testing.ts";
import { createTranscribeHandler } from "./handler.ts";
import { loadMoonshine, type Moonshine } from "./model.ts";
import { LocalSpeechToText } from "./speech-to-text.ts";

let model: Moonshine;
const { signal } = new AbortController();

before(async () => {
  const modelsDir = await ensureModels({ groups: ["moonshine-base"] });
  model = await loadMoonshine({ modelsDir, size: "base" });
  await model.warmUp();
});

after(async () => {
  await model.close();
  await model.close();
});

test("a person's words are understood", async () => {
  const { text, certainty } = await model.transcribe(await readRecording("go-somewhere"), signal);
  assert.equal(text, "Go somewhere and do something.");
  assert.ok((certainty?.confidence ?? 0) > 0.7, `as sure as ${certainty?.confidence}`);
  const [first] = certainty?.lastWord ?? [];
  assert.equal(first?.text, "something");
  assert.ok(first.probability > 0.7, `of the last word as ${first.probability}`);
});

test("a draft, correct or not, changes the duration of a transcription and not its text", async () => {
  const pcm = await readRecording("sense-and-sensibility-0870");
  const alone = await model.transcribe(pcm, signal);
  const begun = await model.transcribe(pcm.subarray(0, pcm.length / 2), signal);
  const other = await model.transcribe(await readRecording("go-forward"), signal);
  for (const draft of [begun.tokens, alone.tokens, other.tokens, []]) {
    assert.equal((await model.transcribe(pcm, signal, draft)).text, alone.text);
  }
});

test("key terms decide between words that sound alike, and leave others as they were heard", async () => {
  const metres = await readRecording("go-forward");
  assert.equal((await model.transcribe(metres, signal, [], ["meters"])).text, "Go forward ten meters.");
  const names = ["Siobhan", "Krzyzewski", "Parley", "Nguyen", "Xarelto", "Thalia", "Zephyr", "Yvette"];
  for (const recording of ["go-somewhere", "go-forward", "sense-and-sensibility-0870"]) {
    const pcm = await readRecording(recording);
    const { text } = await model.transcribe(pcm, signal);
    assert.equal((await model.transcribe(pcm, signal, [], names)).text, text);
  }
});

test("an aborted transcription stops with the signal's reason", async () => {
  const controller = new AbortController();
  const transcription = model.transcribe(
    await readRecording("sense-and-sensibility-0870"),
    controller.signal,
  );
  controller.abort(new Error("hung up"));
  await assert.rejects(transcription, /hung up/);
});

test("a caller over the telephone is understood from the onset that voice activity reports", async (context) => {
  const inference = createInProcessInference({ transcribe: createTranscribeHandler(model) });
  const flushed = Promise.withResolvers<SpeechToTextEvent>();
  const stream = new LocalSpeechToText({ inference, size: () => "base" }).open({
    sampleRateHz: 8000,
    language: "en-US",
    keyterms: [],
    onEvent: flushed.resolve,
  });
  context.after(() => {
    stream.close();
    inference.close();
  });
  const pcm = overTelephone(await readRecording("go-forward"));
  const onsetMs = 450;
  const noticedMs = 600;
  stream.write(new Int16Array(8000));
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    stream.write(pcm.subarray(at, at + 160));
    if (at === noticedMs * 8) stream.startUtterance(noticedMs + 20 - onsetMs);
  }
  stream.flush(7);
  const event = await flushed.promise;
  assert.ok(event.type === "flushed" && event.flushId === 7);
  assert.match(event.text, /^Go forward (ten|10) met(er|re)s\.?$/i);
});

test("audio that the model cannot process is refused", async () => {
  const transcribe = createTranscribeHandler(model);
  const context = { signal, emit: () => undefined };
  const params = { pcm: new Int16Array(8000 * 31), sampleRateHz: 8000, streamId: "a", isFinal: true };
  await assert.rejects(transcribe(params, context), {
    name: "ProviderError",
    message: /more than 30 s at once/,
  });
  await assert.rejects(transcribe({ ...params, sampleRateHz: 44_100 }, context), { message: /44100 Hz/ });
});
