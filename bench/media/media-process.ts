import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { type Config, parseConfig } from "../../apps/server/src/platform/config/config.ts";
import type { MediaLegHandlers } from "../../apps/server/src/media/media-legs.ts";
import type { MediaPool } from "../../apps/server/src/media/media-pool.ts";
import { createLogger } from "../../apps/server/src/platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { type ProviderUrls, scriptedProviderEnv } from "../calls/scripted-platform.ts";
import { processTree } from "../support/processes.ts";

const RTP_PORTS = { first: 36_000, last: 37_999 };
const WEB_PORT = 35_990;
const MAX_CALLS = 1000;
const READY_DEADLINE_MS = 30_000;

/** A media process without a platform. */
export interface MediaProcess {
  pool: MediaPool;
  pid: number;
  handlers: MediaLegHandlers;
  /** Since its start. */
  counts: { turns: number; faults: number };
  close: () => Promise<void>;
}

/** Starts the media process of a checkout, which may be another one. */
export async function startMediaProcess(tree: URL, urls: ProviderUrls): Promise<MediaProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-media-"));
  const config = configure(urls);
  const { MediaPool: Pool }: { MediaPool: typeof MediaPool } = await import(
    new URL("apps/server/src/media/media-pool.ts", tree).href
  );
  const pool = new Pool({
    processes: 1,
    callsPerProcess: MAX_CALLS,
    configure: () => ({
      type: "configure",
      rtpPorts: RTP_PORTS,
      web: { ports: { first: WEB_PORT, last: WEB_PORT }, publicAddress: undefined },
      rtpTimeoutMs: config.rtpTimeoutMs,
      inferencePath: path.join(folder, "none.sock"),
      modelsDirectory: config.modelsDirectory,
      turnLogs: undefined,
      diskReserveBytes: 0,
      recordingFolder: folder,
      isPrivateWebhookAllowed: true,
      providers: config,
      speechFit: undefined,
    }),
    onModel: () => {},
    logger: createLogger({ level: "warn" }),
  });
  await waitFor("the media process", () => pool.isReady, READY_DEADLINE_MS);
  const child = (await processTree(process.pid)).find(({ command }) => command.includes("/media-process.ts"));
  if (child === undefined) throw new Error("the media process was not found among the processes");
  const counts = { turns: 0, faults: 0 };
  return {
    pool,
    pid: child.pid,
    counts,
    handlers: countInto(counts),
    close: async () => {
      await pool.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configure(urls: ProviderUrls): Config {
  return parseConfig(scriptedProviderEnv(urls)).config;
}

function countInto(counts: MediaProcess["counts"]): MediaLegHandlers {
  const noteFault = (fault: unknown): void => {
    counts.faults++;
    console.log("fault:", fault);
  };
  return {
    onEvent: (event) => {
      if (event.type === "turn") counts.turns++;
      else if (event.type === "fault") noteFault(event);
    },
    onSign: () => Promise.resolve({}),
    onDoNotCall: () => Promise.resolve(false),
    onTransfer: () => Promise.resolve({ isTransferred: true }),
    onPersonTimeout: noteFault,
    onSendText: () => Promise.resolve({ isQueued: true }),
    onSearchKnowledge: async () => await Promise.resolve({ passages: [] }),
    onMediaTimeout: noteFault,
    onFault: noteFault,
    onLost: noteFault,
  };
}
