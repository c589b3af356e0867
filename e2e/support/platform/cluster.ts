import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SPEAK_NOW } from "@parley/conversation";
import { slicePortRange } from "@parley/rtp";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../apps/server/src/platform/database/embedded-postgres.ts";
import { Platform } from "./platform.ts";
import { readRecording } from "../audio/recordings.ts";
import { startScriptedProviders } from "./scripted-providers.ts";
import type { TestCaller } from "../phone/test-caller.ts";

const RTP_PORTS = { first: 20_000, last: 21_999 };
const CONNECTIONS_PER_NODE = 30;

/** Transcript of the callers' speech: the scripted recognizer returns it for any audio. */
export const QUESTION = "When are you open";

/**
 * What a caller asked. The scripted recognizer returns its text for each part of the speech, which late packets on a busy machine
 * split.
 */
export function withoutRepetition(asked: string): string {
  return asked.replace(new RegExp(`(?<=${QUESTION})( ${QUESTION})+`, "g"), "");
}

export const ANSWER = "We are open from nine to one, on every day but Sunday.";

/** The scripted model's reply to an instruction to speak. */
export function spoken(instruction: string): string {
  return `I am to tell you: ${instruction}`;
}

/** Longer than any filler, with the scripted voice. */
const ANSWER_SPEECH_MS = 2_500;

/**
 * Has a caller ask a question and receives the whole answer. The API cannot report it while the database is
 * away.
 */
export async function askUnrecorded(caller: TestCaller): Promise<void> {
  const sinceMs = performance.now();
  await caller.say(await readRecording("go-forward.wav"));
  await caller.agentToSpeak({ sinceMs, ms: ANSWER_SPEECH_MS });
  await caller.agentToFinish({ sinceMs });
}

/** Several nodes on one PostgreSQL, with scripted providers. */
export class Cluster {
  readonly nodes: readonly Platform[];
  /** Environment that makes a platform one of its nodes, in addition to its own ports. */
  readonly env: Readonly<Record<string, string>>;
  readonly #directory: string;
  readonly #port: number;
  readonly #closeProviders: () => Promise<void>;
  #postgres: EmbeddedPostgres | undefined;

  static async start(count: number, env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const directory = await mkdtemp(path.join(tmpdir(), "parley-e2e-cluster-"));
    const postgres = await startPostgres(directory, undefined);
    const providers = await startScriptedProviders(QUESTION, ({ messages }) => {
      const [, instruction] = messages.at(-1)?.content.split(SPEAK_NOW) ?? [];
      return { text: instruction === undefined ? ANSWER : spoken(instruction) };
    });
    const shared = {
      DATABASE_URL: postgres.connectionString,
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PARLEY_MEDIA_PROCESSES: "1",
      PARLEY_OBJECT_STORAGE_FOLDER: path.join(directory, "objects"),
      PARLEY_OBJECT_STORAGE_SHARED: "true",
      PARLEY_LOG_LEVEL: "warn",
      ...providers.env,
      ...env,
    };
    const starting = Array.from({ length: count }, async (_, index) => {
      const { first, last } = slicePortRange(RTP_PORTS, index, count);
      return await Platform.start({ env: { ...shared, PARLEY_RTP_PORTS: `${first}-${last}` } });
    });
    const settled = await Promise.allSettled(starting);
    const nodes = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const port = Number(new URL(postgres.connectionString).port);
    const { close: closeProviders } = providers;
    const cluster = new Cluster({ directory, port, postgres, nodes, env: shared, closeProviders });
    const failure = settled.find((each) => each.status === "rejected");
    if (failure === undefined) return cluster;
    await cluster.stop();
    throw failure.reason;
  }

  private constructor(parts: {
    directory: string;
    port: number;
    postgres: EmbeddedPostgres;
    nodes: readonly Platform[];
    env: Readonly<Record<string, string>>;
    closeProviders: () => Promise<void>;
  }) {
    this.nodes = parts.nodes;
    this.env = parts.env;
    this.#directory = parts.directory;
    this.#port = parts.port;
    this.#postgres = parts.postgres;
    this.#closeProviders = parts.closeProviders;
  }

  node(index: number): Platform {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }

  /**
   * Stops the database as an operator or a machine's failure would: connections break, and new ones are
   * refused.
   */
  async stopDatabase(): Promise<void> {
    await this.#postgres?.close();
    this.#postgres = undefined;
  }

  /** Starts the database at the same address, with its data. */
  async startDatabase(): Promise<void> {
    this.#postgres ??= await startPostgres(this.#directory, this.#port);
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    await this.startDatabase();
    await Promise.all(this.nodes.map(async (node) => await node.stop()));
    await this.stopDatabase();
    await this.#closeProviders();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function startPostgres(directory: string, port: number | undefined): Promise<EmbeddedPostgres> {
  return await startEmbeddedPostgres({
    dataDirectory: directory,
    isDurable: false,
    maxConnections: 5 * CONNECTIONS_PER_NODE,
    ...(port !== undefined && { port }),
  });
}
