import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedFault } from "../scripted-fault.ts";
import type { ScriptedServer } from "../scripted-server.ts";

/** What a suite asks of the vendor's server. */
interface WireScript {
  /** Others are refused. */
  apiKey: string;
  /** What goes wrong with the nth request, or the nth connection of a WebSocket. */
  fault: (index: number) => ScriptedFault | undefined;
}

/** How a suite reaches an adapter: the vendor's server, and the adapter on it. */
export interface Wire<Provider> {
  /** Starts a local server that speaks the vendor's wire format. */
  startServer: (script: WireScript) => Promise<ScriptedServer>;
  /** @param deadlineMs For every wait that the adapter bounds. */
  connect: (options: { baseUrl: string; apiKey: string; deadlineMs: number }) => Provider & {
    close?(): void | Promise<void>;
  };
  nonsense: Nonsense;
}

/** What becomes of messages that are whole but make no sense. */
interface Nonsense {
  /** Messages or chunks before them. */
  after: number;
  /** `skipped`: the rest is understood; `failed`: told as an error. */
  outcome: "skipped" | "failed";
}

export interface WireCall<Provider> {
  provider: Provider;
  server: ScriptedServer;
}

export interface WireCheckOptions {
  fault?: (index: number) => ScriptedFault | undefined;
  /** What the adapter is given; the server takes only `API_KEY`. */
  apiKey?: string;
  deadlineMs?: number | undefined;
}

export const API_KEY = "key";
/** The adapter's, where a wait is to pass it. */
export const DEADLINE_MS = 200;
/** The adapter's, where nothing is to: however busy the machine. */
const PATIENCE_MS = 5_000;
/** How long an answer may take that nothing goes wrong with. */
const ANSWER_DEADLINE_MS = 10_000;
/** Within this, what was closed is gone: a WebSocket's closing handshake is waited for a second. */
const RELEASE_DEADLINE_MS = 3_000;
/** How long is listened for what must not come. */
export const QUIET_MS = 60;

/** What keeps a process alive and may be left behind by an adapter. */
const RESOURCES: ReadonlySet<string> = new Set([
  "Timeout",
  "TCPSocketWrap",
  "TCPConnectWrap",
  "TCPServerWrap",
  "TLSWrap",
  "GetAddrInfoReqWrap",
]);

/**
 * Registers tests that each have a server and an adapter of their own. After every one of them the adapter is closed,
 * and has to leave no connection open at the server, and no socket or timer in this process.
 */
export function wireChecks<Provider>(
  name: string,
  wire: Wire<Provider>,
): (behaviour: string, options: WireCheckOptions, body: (call: WireCall<Provider>) => Promise<void>) => void {
  return (behaviour, { fault = () => undefined, apiKey = API_KEY, deadlineMs = PATIENCE_MS }, body) => {
    test(`${name}: ${behaviour}`, async () => {
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

/** Waits for a condition; fails with `what` when it does not come true in time. */
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
