/**
 * Local voices on their own: warm time to the first audio and to all of it, one clause at a time, each as the first of
 * a reply.
 *
 *     npm run bench -- tts [--json]
 *
 * Reports the best of several rounds, because other load on the machine only adds time.
 */
import { parseArgs } from "node:util";
import { ensureModels, loadDittli, loadKokoro, loadLexicon, type SpeechEngine } from "@parley/providers";
import { rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const ROUNDS = 5;
const clauses = [
  "Yes.",
  "We open at nine.",
  "How can I help you?",
  "Certainly, we are open from nine to five on Saturdays.",
  "The doctor will see you for a checkup next Thursday at nine in the morning.",
];

interface Row {
  voice: string;
  clause: string;
  firstAudioMs: number;
  totalMs: number;
  audioMs: number;
  /** Synthesis time divided by the length of the audio. */
  realTimeFactor: number;
}

async function measure(engine: SpeechEngine, voice: string, clause: string): Promise<Row> {
  const { signal } = new AbortController();
  let best: Row | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    let firstAudioMs: number | undefined;
    let samples = 0;
    for await (const piece of engine.synthesize(clause, { voice, speed: 1, firstShare: 1 / 3 }, signal)) {
      firstAudioMs ??= performance.now() - startMs;
      samples += piece.samples.length;
    }
    const totalMs = performance.now() - startMs;
    const audioMs = (samples * 1000) / engine.sampleRateHz;
    if (best === undefined || totalMs < best.totalMs) {
      const realTimeFactor = totalMs / audioMs;
      best = { voice, clause, firstAudioMs: firstAudioMs ?? totalMs, totalMs, audioMs, realTimeFactor };
    }
  }
  if (best === undefined) throw new Error("no round was measured");
  return best;
}

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const yardstick = new Yardstick();
const modelsDir = await ensureModels({ groups: ["kokoro", "dittli"] });
const lexicon = await loadLexicon();
const subjects: { label: string; voice: string; load: () => Promise<SpeechEngine> }[] = [
  {
    label: "kokoro, 2 threads",
    voice: "af_heart",
    load: () => loadKokoro({ modelsDir, lexicon, threads: 2 }),
  },
  {
    label: "kokoro, 1 thread",
    voice: "af_heart",
    load: () => loadKokoro({ modelsDir, lexicon, threads: 1 }),
  },
  { label: "dittli", voice: "male", load: () => loadDittli({ modelsDir, lexicon }) },
];

const rows: Row[] = [];
for (const { label, voice, load } of subjects) {
  const engine = await load();
  await engine.warmUp();
  for (const clause of clauses) {
    rows.push({ ...(await measure(engine, voice, clause)), voice: label });
  }
  await engine.close();
}

const report = rows.map((row) => ({
  ...row,
  firstAudioMs: Math.round(row.firstAudioMs),
  totalMs: Math.round(row.totalMs),
  audioMs: Math.round(row.audioMs),
  realTimeFactor: rounded(row.realTimeFactor, 3),
}));
console.table(report);
const multiples = yardstick.finish(
  Object.fromEntries(rows.map(({ voice, clause, totalMs }) => [`${voice}, "${clause}"`, totalMs])),
);
if (options.json) console.log(JSON.stringify({ rows: report, ...multiples }));
