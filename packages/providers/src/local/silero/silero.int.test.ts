import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Worker } from "node:worker_threads";
import type { SampleRateHz } from "@parley/conversation";
import { seededRandom } from "@parley/testing";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { ensureModels } from "../../models/fetch.ts";
import { overTelephone, readRecording } from "../testing.ts";
import { SileroModel } from "./model.ts";
import { writeNetwork } from "./network.ts";
import { shapes, STATE_WIDTH } from "./stream.ts";
import { loadSilero, type SileroVoiceActivity } from "./voice-activity.ts";

let vad: SileroVoiceActivity;
const failures: unknown[] = [];

before(async () => {
  const modelsDir = await ensureModels({ groups: ["silero"] });
  vad = await loadSilero({ modelsDir, onFailure: (error) => failures.push(error) });
});

after(async () => {
  await vad.close();
  await vad.close();
  assert.deepEqual(failures, []);
});

interface Heard {
  probabilities: number[];
  endSamples: number[];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Writes the streams in parallel in packets of 20 ms, each packet after the windows before it were processed. */
async function hear(streams: readonly Int16Array[], sampleRateHz: SampleRateHz): Promise<Heard[]> {
  const packet = sampleRateHz / 50;
  const window = sampleRateHz * 0.032;
  const heard = streams.map((): Heard => ({ probabilities: [], endSamples: [] }));
  const open = heard.map(({ probabilities, endSamples }) =>
    vad.open({
      sampleRateHz,
      onProbability: (probability, endSample) => {
        probabilities.push(probability);
        endSamples.push(endSample);
      },
    }),
  );
  const length = Math.max(...streams.map((pcm) => pcm.length));
  for (let at = 0; at < length; at += packet) {
    for (const [index, pcm] of streams.entries()) open[index]?.write(pcm.subarray(at, at + packet));
    const due = streams.map((pcm) => Math.floor(Math.min(at + packet, pcm.length) / window));
    while (heard.some(({ probabilities }, index) => probabilities.length < (due[index] ?? 0))) await turn();
  }
  for (const stream of open) stream.close();
  return heard;
}

const shareAbove = ({ probabilities }: Heard, threshold: number): number =>
  probabilities.filter((probability) => probability > threshold).length / probabilities.length;

/** White noise, the same in every run. */
function noise(length: number, amplitude: number): Int16Array {
  let seed = 1;
  return Int16Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (seed / 0x7f_ff_ff_ff - 0.5) * 2 * amplitude;
  });
}

for (const sampleRateHz of [8000, 16_000] as const) {
  test(`speech is detected at ${sampleRateHz} Hz; silence, noise and a tone are not`, async () => {
    const recording = await readRecording("sense-and-sensibility-0870");
    const seconds = 3 * sampleRateHz;
    const tone = Int16Array.from(
      { length: seconds },
      (_, at) => 8000 * Math.sin((440 * 2 * Math.PI * at) / sampleRateHz),
    );
    const [speech, ...others] = await hear(
      [
        sampleRateHz === 8000 ? overTelephone(recording) : recording,
        new Int16Array(seconds),
        noise(seconds, 300),
        noise(seconds, 6000),
        tone,
      ],
      sampleRateHz,
    );
    assert.ok(speech !== undefined && shareAbove(speech, 0.5) > 0.8);
    for (const other of others) assert.equal(shareAbove(other, 0.5), 0);
  });
}

for (const sampleRateHz of [8000, 16_000] as const) {
  test(`the network at ${sampleRateHz} Hz gives the results of the model file`, async () => {
    const file = path.join(await ensureModels({ groups: ["silero"] }), "silero", "silero_vad.onnx");
    const original = await InferenceSession.create(file);
    const written = await InferenceSession.create(writeNetwork(await readFile(file), sampleRateHz));
    const { window, context } = shapes[sampleRateHz];
    const random = seededRandom(1);
    for (const count of [1, 3, 16]) {
      const values = (width: number): Float32Array =>
        Float32Array.from({ length: count * width }, () => 2 * random() - 1);
      const rows = (data: Float32Array): Tensor => new Tensor("float32", data, [count, data.length / count]);
      const [input, lower, upper] = [values(window + context), values(STATE_WIDTH), values(STATE_WIDTH)];
      const expected = await original.run({
        input: rows(input),
        state: new Tensor("float32", Float32Array.of(...lower, ...upper), [2, count, STATE_WIDTH]),
        sr: new Tensor("int64", BigInt64Array.of(BigInt(sampleRateHz)), []),
      });
      const actual = await written.run({ input: rows(input), lower: rows(lower), upper: rows(upper) });
      const nextState = [...floats(actual["nextLower"]), ...floats(actual["nextUpper"])];
      assertClose(floats(actual["probability"]), floats(expected["output"]));
      assertClose(nextState, floats(expected["stateN"]));
    }
  });
}

function floats(tensor: Tensor | undefined): number[] {
  assert.ok(tensor?.data instanceof Float32Array);
  return [...tensor.data];
}

function assertClose(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  for (const [at, value] of expected.entries()) {
    const error = Math.abs((actual[at] ?? NaN) - value);
    assert.ok(error < 1e-4, `${actual[at]} instead of ${value}`);
  }
}

test("the onset of speech is detected", async () => {
  const pcm = overTelephone(await readRecording("go-forward"));
  const [heard] = await hear([pcm], 8000);
  const onset = heard?.endSamples[heard.probabilities.findIndex((probability) => probability > 0.5)] ?? 0;
  // The first word begins 0.45 s into the recording.
  assert.ok(onset > 0.4 * 8000 && onset < 0.6 * 8000, `at ${onset / 8} ms`);
});

test("a long silence takes no model time, and speech after it is detected without delay", async () => {
  const speech = overTelephone(await readRecording("go-forward"));
  const onsetAfter = async (silentSamples: number): Promise<number> => {
    const pcm = new Int16Array(silentSamples + speech.length);
    pcm.set(speech, silentSamples);
    const [heard] = await hear([pcm], 8000);
    assert.equal(heard?.endSamples.length, Math.floor(pcm.length / 256));
    return (heard?.probabilities.findIndex((probability) => probability > 0.5) ?? 0) - silentSamples / 256;
  };
  const shortSilence = 256 * 8;
  const expected = await onsetAfter(shortSilence);
  const { windows } = vad.stats;
  assert.equal(await onsetAfter(256 * 200), expected);
  const heard = vad.stats.windows - windows;
  assert.ok(heard < speech.length / 256 + 20, `${heard} windows`);
});

test("a stream gets the same results in a batch as alone, window by window", async () => {
  const names = ["go-forward", "cards-5", "digits"];
  const recordings = (await Promise.all(names.map(readRecording))).map(overTelephone);
  const together = await hear(recordings, 8000);
  for (const [index, pcm] of recordings.entries()) {
    const [alone] = await hear([pcm], 8000);
    assert.deepEqual(together[index]?.endSamples, alone?.endSamples);
    assert.deepEqual(alone?.endSamples.slice(0, 2), [256, 512]);
    for (const [window, probability] of (alone?.probabilities ?? []).entries()) {
      assert.ok(Math.abs(probability - (together[index]?.probabilities[window] ?? -1)) < 1e-3);
    }
  }
});

test("audio that arrives faster than it is processed is dropped oldest first, and counted", async () => {
  const before = vad.stats.droppedWindows;
  const endSamples: number[] = [];
  const stream = vad.open({
    sampleRateHz: 8000,
    onProbability: (_, endSample) => endSamples.push(endSample),
  });
  stream.write(new Int16Array(256 * 20));
  while (endSamples.length < 8) await turn();
  stream.close();
  assert.equal(vad.stats.droppedWindows - before, 12);
  assert.deepEqual(
    endSamples,
    Array.from({ length: 8 }, (_, index) => 256 * (13 + index)),
  );
});

test("a closed stream receives no result, in any state of its window", async () => {
  for (let turns = 0; turns < 40; turns++) {
    let calls = 0;
    const stream = vad.open({ sampleRateHz: 16_000, onProbability: () => (calls += 1) });
    stream.write(new Int16Array(512));
    for (let passed = 0; passed < turns; passed++) await turn();
    const callsBefore = calls;
    stream.close();
    stream.close();
    stream.write(new Int16Array(512));
    await hear([new Int16Array(1024)], 16_000);
    assert.equal(calls, callsBefore, `closed after ${turns} turns of the loop`);
  }
});

test("a fault of the model thread loses the batch under way, and the next one has another thread", async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on("worker", note);
  const modelsDir = await ensureModels({ groups: ["silero"] });
  const model = await SileroModel.load(path.join(modelsDir, "silero", "silero_vad.onnx"));
  await model.hear(8000, 1);
  // Its handler reads the fields of every message.
  threads[0]?.postMessage(null);
  await assert.rejects(model.hear(8000, 1), TypeError);
  await model.hear(8000, 1);
  assert.equal(threads.length, 2);
  process.off("worker", note);
  await model.close();
});

/** Priorities of the process's threads, which only Linux has. */
async function threadPriorities(): Promise<number[]> {
  const stats = (await readdir("/proc/self/task")).map(
    async (thread) => await readFile(`/proc/self/task/${thread}/stat`, "utf8"),
  );
  // proc_pid_stat(5): the nice value is the 17th field after the name, which may contain spaces.
  return (await Promise.all(stats)).map((stat) => Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
}

function mayRaisePriority(): boolean {
  if (process.platform !== "linux") return false;
  const usual = getPriority();
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
    setPriority(usual);
    return true;
  } catch {
    return false;
  }
}

test(
  "the model's thread has a lower priority than a raised process",
  {
    skip: !mayRaisePriority() && "the priority of a process cannot be raised here",
  },
  async (context) => {
    const { PRIORITY_HIGH, PRIORITY_ABOVE_NORMAL } = constants.priority;
    const usual = getPriority();
    context.after(() => setPriority(usual));
    setPriority(PRIORITY_HIGH);
    const modelsDir = await ensureModels({ groups: ["silero"] });
    const model = await SileroModel.load(path.join(modelsDir, "silero", "silero_vad.onnx"));
    const priorities = await threadPriorities();
    assert.equal(priorities.filter((priority) => priority === PRIORITY_HIGH).length, 1);
    assert.equal(priorities.filter((priority) => priority === PRIORITY_ABOVE_NORMAL).length, 1);
    await model.close();
  },
);
