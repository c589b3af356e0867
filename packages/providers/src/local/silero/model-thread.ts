import { parentPort, workerData } from "node:worker_threads";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { FromModelThread, ModelThreadData, ToModelThread } from "./model.ts";
import { shapes, STATE_WIDTH } from "./stream.ts";

/** The thread of a `SileroModel`. */
const { modelPath, rooms }: ModelThreadData = workerData;
const session = await InferenceSession.create(modelPath, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
});
const rates = {
  8000: new Tensor("int64", BigInt64Array.of(8000n), []),
  16000: new Tensor("int64", BigInt64Array.of(16_000n), []),
};

const answer = (message: FromModelThread): void => parentPort?.postMessage(message);

parentPort?.on("message", ({ sampleRateHz, count }: ToModelThread) => {
  hear(sampleRateHz, count).then(
    () => answer({ type: "heard", sampleRateHz }),
    (error: unknown) => answer({ type: "failed", sampleRateHz, error }),
  );
});
answer({ type: "ready" });

async function hear(sampleRateHz: ToModelThread["sampleRateHz"], count: number): Promise<void> {
  const { input, state, probabilities, nextState } = rooms[sampleRateHz];
  const { context, window } = shapes[sampleRateHz];
  const rowLength = context + window;
  const stateLength = 2 * count * STATE_WIDTH;
  const feeds = {
    input: new Tensor("float32", input.subarray(0, count * rowLength), [count, rowLength]),
    state: new Tensor("float32", state.subarray(0, stateLength), [2, count, STATE_WIDTH]),
    sr: rates[sampleRateHz],
  };
  // Results are written to existing memory: new memory outside V8's heap for every batch triggers garbage collections.
  await session.run(feeds, {
    output: new Tensor("float32", probabilities.subarray(0, count), [count, 1]),
    stateN: new Tensor("float32", nextState.subarray(0, stateLength), [2, count, STATE_WIDTH]),
  });
}
