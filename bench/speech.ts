/**
 * Local speech: `npm run bench -- speech [--json]`.
 *
 * Recognition and voice activity on recordings of people, synthesis through the recognizer, and the time from the end
 * of a question to the first sound of its answer in calls to a whole platform. Word error rates are of whole
 * recordings, clean and at telephone quality (8 kHz, G.711 µ-law, back up to 16 kHz); see `word-errors.ts` for the
 * comparison of texts. A real-time factor is processor seconds per second of audio, of the process and all its threads.
 * `--json` ends with the figures as JSON on the last line.
 */
import { ensureModels } from "@parley/providers";
import { measureRecognition } from "./speech/recognition.ts";
import { readRecordings } from "./speech/recordings.ts";
import { measureSynthesis } from "./speech/synthesis.ts";
import { measureVoiceActivity } from "./speech/voice-activity.ts";
import { measureVoiceToVoice } from "./speech/voice-to-voice.ts";
import { Yardstick } from "./support/yardstick.ts";

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const yardstick = new Yardstick();
const modelsDir = await ensureModels({
  groups: ["moonshine-base", "moonshine-tiny", "silero", "kokoro", "dittli", "minilm"],
});
const recordings = await readRecordings();

const recognition = [
  await measureRecognition(modelsDir, "base", recordings),
  await measureRecognition(modelsDir, "tiny", recordings),
];
for (const { model, words, werClean, werTelephone, rtf } of recognition) {
  console.log(
    `${model}: WER ${percent(werClean)} clean, ${percent(werTelephone)} telephone (${words} words), RTF ${rtf.toFixed(3)}`,
  );
}

const telephone = Int16Array.from(recordings.flatMap((recording) => [...recording.telephone]));
const voiceActivity = [
  await measureVoiceActivity(modelsDir, 1, telephone),
  await measureVoiceActivity(modelsDir, 16, telephone),
];
for (const { streams, rtf } of voiceActivity) {
  console.log(`voice activity, ${streams} streams together: RTF ${rtf.toFixed(5)} each`);
}

const synthesis = await measureSynthesis(modelsDir);
for (const { engine, rtf, shortClauseP50Ms, wer } of synthesis) {
  console.log(
    `${engine}: RTF ${rtf.toFixed(3)}, three words in ${shortClauseP50Ms.toFixed(0)} ms (p50), WER ${percent(wer)}`,
  );
}

const voiceToVoice = await measureVoiceToVoice();
const { p50Ms, p95Ms, answers, missed } = voiceToVoice;
console.log(
  `voice to voice, one call: p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms (${answers} answers, ${missed} missed)`,
);

/** Converts real-time factors to processor milliseconds per second of audio. */
const rtfMs = (entries: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(entries.map(([name, rtf]) => [`${name}, a second of audio`, rtf * 1000]));
const report = yardstick.finish({
  ...rtfMs(recognition.map(({ model, rtf }) => [model, rtf] as const)),
  ...rtfMs(voiceActivity.map(({ streams, rtf }) => [`voice activity, ${streams} streams`, rtf] as const)),
  ...rtfMs(synthesis.map(({ engine, rtf }) => [engine, rtf] as const)),
  "voice to voice p50": p50Ms,
});
if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ recognition, voiceActivity, synthesis, voiceToVoice, ...report }));
}
