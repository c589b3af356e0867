import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedFault } from "../scripted-fault.ts";
import type { ScriptedServer } from "../scripted-server.ts";

/** The suite's settings for the vendor's server. */
interface WireScript {
  /** Other keys are refused. */
  apiKey: string;
  /** Fault of the nth request, or of the nth WebSocket connection. */
  fault: (index: number) => ScriptedFault | undefined;
}

/** Access of a suite to an adapter: the vendor's server and the adapter connected to it. */
export interface Wire<Provider> {
  /** Starts a local server with the vendor's wire format. */
  startServer: (script: WireScript) => Promise<ScriptedServer>;
  /** @param deadlineMs Applies to every wait that the adapter limits. */
  connect: (options: { baseUrl: string; apiKey: string; deadlineMs: number }) => Provider & {
    close?(): void | Promise<void>;
  };
  nonsense: Nonsense;
}

/** The treatment of complete messages with invalid contents. */
interface Nonsense {
  /** Messages or chunks before them. */
  after: number;
  /** `skipped`: the rest is used; `failed`: reported as an error. */
  outcome: "skipped" | "failed";
}

export interface WireCall<Provider> {
  provider: Provider;
  server: ScriptedServer;
}

export interface WireCheckOptions {
  fault?: (index: number) => ScriptedFault | undefined;
  /** The adapter's key; the server accepts only `API_KEY`. */
  apiKey?: string;
  deadlineMs?: number | undefined;
}

export const API_KEY = "key";
/** The adapter's deadline for waits that are to exceed it. It then answers the next request, which takes milliseconds. */
export const DEADLINE_MS = 500;
/** The adapter's deadline for all other waits, on a busy machine too. */
const PATIENCE_MS = 5_000;
/** Maximum wait for a correct answer. */
const ANSWER_DEADLINE_MS = 10_000;
/** Time within which closed resources are released; a WebSocket's closing handshake takes up to a second. */
const RELEASE_DEADLINE_MS = 3_000;
/** Time in which an unwanted event would arrive. */
export const QUIET_MS = 60;

/** Resources that keep a process alive and that an adapter may leave behind. */
const RESOURCES: ReadonlySet<string> = new Set([
  "Timeout",
  "TCPSocketWrap",
  "TCPConnectWrap",
  "TCPServerWrap",
  "TLSWrap",
  "GetAddrInfoReqWrap",
]);

/**
 * Registers tests with a server and an adapter of their own. After each test the adapter is closed and must leave no
 * connection at the server, and no socket or timer in this process.
 */
export function wireChecks<Provider>(
  name: string,
  wire: Wire<Provider>,
): (behavior: string, options: WireCheckOptions, body: (call: WireCall<Provider>) => Promise<void>) => void {
  return (behavior, { fault = () => undefined, apiKey = API_KEY, deadlineMs = PATIENCE_MS }, body) => {
    test(`${name}: ${behavior}`, async () => {
      const before = activeResources();
      const server = await wire.startServer({ apiKey: API_KEY, fault });
      const provider = wire.connect({ baseUrl: server.url, apiKey, deadlineMs });
      try {
        await body({ provider, server });
        await provider.close?.();
        await provider.close?.();
        server.listenAgain();
        const isLeft = (): boolean => server.stats.openConnections === 0;
        await until(isLeft, "a connection is left open", RELEASE_DEADLINE_MS);
      } finally {
        await provider.close?.();
        await server.close();
      }
      const isFreed = (): boolean => activeResources().length <= before.length;
      await until(isFreed, () => `left behind: ${activeResources().join(", ")}`, RELEASE_DEADLINE_MS);
    });
  };
}

/** Waits for a condition; fails with `what` if it is not met in time. */
export async function until(
  condition: () => boolean,
  what: string | (() => string),
  deadlineMs = ANSWER_DEADLINE_MS,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > deadline) assert.fail(typeof what === "string" ? what : what());
    await sleep(5);
  }
}

function activeResources(): string[] {
  return process.getActiveResourcesInfo().filter((type) => RESOURCES.has(type));
}
