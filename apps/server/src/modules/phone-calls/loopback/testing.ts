/** A node in this process with real media processes and a local voice, for tests of whole calls without jobs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type ScriptedChatOptions,
  startScriptedDeepgram,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { startCallProcesses } from "../../../node/call-processes.ts";
import { createFeatures, type Services } from "../../../node/features.ts";
import { createTestResources } from "../../../node/testing.ts";
import { ClosingStack } from "../../../platform/closing-stack.ts";
import { parseConfig } from "../../../platform/config/config.ts";
import { createTestDatabase } from "../../../platform/database/testing.ts";
import { createLogger } from "../../../platform/logging/logging.ts";

const NODE_ID = "test-node";
const VOICE = "dittli/male";
const MODELS_DEADLINE_MS = 60_000;

export interface CallingNode {
  services: Services;
  organizationId: string;
  close: () => Promise<void>;
}

export interface CallingNodeOptions {
  /** Answers as every language model. */
  reply: ScriptedChatOptions["reply"];
  /** What the recognizer hears in any speech. */
  heard: string;
  /** Largest number of calls at once. */
  calls: number;
}

/** Its voice is the fastest and its recognizer a script, so that it follows on a slow machine too. */
export async function openCallingNode({ reply, heard, calls }: CallingNodeOptions): Promise<CallingNode> {
  const started = new ClosingStack();
  try {
    const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-test-calling-"));
    started.add(async () => await rm(dataDirectory, { recursive: true }));
    const llm = await startScriptedOpenAi({ reply });
    started.add(async () => await llm.close());
    const stt = await startScriptedDeepgram({ utterance: () => heard });
    started.add(async () => await stt.close());
    const { config } = parseConfig({
      PARLEY_DATA_DIR: dataDirectory,
      PARLEY_LLM_BASE_URL: `${llm.url}/v1`,
      PARLEY_LLM_MODEL: "scripted",
      PARLEY_LOCAL_VOICE: VOICE,
      PARLEY_STT: "deepgram",
      DEEPGRAM_API_KEY: "test",
      DEEPGRAM_BASE_URL: stt.url,
      PARLEY_LOCAL_CALLS: String(calls),
      PARLEY_MEDIA_PROCESSES: "1",
    });
    const { database, close } = await createTestDatabase();
    started.add(close);
    const logger = createLogger({ level: "silent" });
    const context = { config, logger, started, nodeId: NODE_ID };
    const { media, inference, speechPlaces } = await startCallProcesses(
      context,
      new AbortController().signal,
    );
    const node = createTestResources({ config, database, logger, media, inference, speechPlaces });
    const features = createFeatures({ ...node, config });
    features.closeWith(started);
    const { services } = features;
    started.add(async () => await services.activeCalls.drain(0));
    inference.useVoices([VOICE]);
    await waitFor("the models", () => media.isReady && inference.isReady, MODELS_DEADLINE_MS);
    const { id: organizationId } = await services.organizations.ensure(database, "shop", "shop");
    return { services, organizationId, close: async () => await started.close() };
  } catch (error) {
    await started.close();
    throw error;
  }
}
