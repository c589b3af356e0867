import { readFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { SampleRateHz } from "@parley/conversation";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { FromModelThread, ModelThreadData, ToModelThread } from "./model.ts";
import { writeNetwork } from "./network.ts";
import { shapes, STATE_WIDTH } from "./stream.ts";

/** The thread of a `SileroModel`. */
const { modelPath, rooms }: ModelThreadData = workerData;
yieldToAudio();
const model = await readFile(modelPath);
const sessions = { 8000: await open(8000), 16000: await open(16_000) };

const answer = (message: FromModelThread): void => parentPort?.postMessage(message);

parentPort?.on("message", ({ sampleRateHz, count }: ToModelThread) => {
  hear(sampleRateHz, count).then(
    () => answer({ type: "heard", sampleRateHz }),
    (error: unknown) => answer({ type: "failed", sampleRateHz, error }),
  );
});
answer({ type: "ready" });

/**
 * Lowers this thread below a process of raised priority: with the same one, the kernel often runs a batch on the core of the
 * thread that has just requested it and has packets to send. A third fewer of them are then late by 2 ms or more (measured with
 * 100 calls on two busy cores). Only Linux has priorities of threads.
 */
function yieldToAudio(): void {
  const { PRIORITY_ABOVE_NORMAL } = constants.priority;
  if (process.platform === "linux" && getPriority() < PRIORITY_ABOVE_NORMAL)
    setPriority(PRIORITY_ABOVE_NORMAL);
}

async function open(sampleRateHz: SampleRateHz): Promise<InferenceSession> {
  return await InferenceSession.create(writeNetwork(model, sampleRateHz), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
}

async function hear(sampleRateHz: SampleRateHz, count: number): Promise<void> {
  const { input, state, probabilities, nextState } = rooms[sampleRateHz];
  const { context, window } = shapes[sampleRateHz];
  const rowLength = context + window;
  const [layer, both] = [count * STATE_WIDTH, 2 * count * STATE_WIDTH];
  const rows = (data: Float32Array, width: number): Tensor => new Tensor("float32", data, [count, width]);
  const feeds = {
    input: rows(input.subarray(0, count * rowLength), rowLength),
    lower: rows(state.subarray(0, layer), STATE_WIDTH),
    upper: rows(state.subarray(layer, both), STATE_WIDTH),
  };
  // Results are written to existing memory: new memory outside V8's heap for every batch triggers garbage collections.
  await sessions[sampleRateHz].run(feeds, {
    probability: rows(probabilities.subarray(0, count), 1),
    nextLower: rows(nextState.subarray(0, layer), STATE_WIDTH),
    nextUpper: rows(nextState.subarray(layer, both), STATE_WIDTH),
  });
}
