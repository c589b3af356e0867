import { errorMessage } from "@parley/conversation/error-message";
import type { FixedSpeech, InferenceServer } from "@parley/providers/local";
import type { FromInference, InferenceConfiguration, QueueTime, ToInference } from "./inference-protocol.ts";
import { runChild } from "../platform/child-main.ts";

/** Process that runs the local models, loaded once for all calls of the node. */
interface Inference extends InferenceServer {
  prepareSpeech: (speech: FixedSpeech) => void;
  noteActiveCalls: (count: number) => void;
}

let inference: Promise<Inference> | undefined;
const REPORT_INTERVAL_MS = 1_000;
/** Maximum number of entries in one report; further ones are not counted. */
const MAX_QUEUE_TIMES = 10_000;
let queueTimes: QueueTime[] = [];
const { promise: voicesInUse, resolve: useVoices } = Promise.withResolvers<readonly string[]>();

async function serve(configuration: InferenceConfiguration): Promise<Inference> {
  const { serveInference } = await import("@parley/providers/local");
  const { loadHandlers } = await import("./load-handlers.ts");
  const { handlers, prepareSpeech, noteActiveCalls, close } = await loadHandlers(configuration, voicesInUse, {
    onStart: (priority, waitedMs) => {
      if (queueTimes.length < MAX_QUEUE_TIMES) queueTimes.push([priority, waitedMs]);
    },
    onModel: send,
    onFit: (fit) => send({ type: "fit", fit }),
  });
  const serving = await serveInference({ path: configuration.path, handlers });
  return {
    prepareSpeech,
    noteActiveCalls,
    close: async () => {
      await serving.close();
      await close();
    },
  };
}

const { send } = runChild<ToInference, FromInference>({
  onMessage: (message) => {
    if (message.type === "prepareSpeech" || message.type === "activeCalls") {
      inference?.then(
        ({ prepareSpeech, noteActiveCalls }) =>
          message.type === "activeCalls" ? noteActiveCalls(message.count) : prepareSpeech(message.speech),
        // No model could be loaded: the process ends.
        () => {},
      );
      return;
    }
    if (message.type === "useVoices") return useVoices(message.voiceIds);
    if (message.voicesInUse !== undefined) useVoices(message.voicesInUse);
    inference = serve(message);
    inference.then(
      () => send({ type: "ready" }),
      (error: unknown) => {
        process.stderr.write(`the local models cannot be loaded: ${errorMessage(error)}\n`);
        process.exit(1);
      },
    );
  },
  close: async () => await (await inference)?.close(),
});

setInterval(() => {
  if (queueTimes.length === 0) return;
  send({ type: "waited", queueTimes });
  queueTimes = [];
}, REPORT_INTERVAL_MS).unref();
