import assert from "node:assert/strict";
import { ProviderError } from "@parley/conversation";
import type { ScriptedFault } from "../scripted-fault.ts";
import { DEADLINE_MS } from "./wire.ts";

type ExpectedError = Partial<Pick<ProviderError, "kind" | "status" | "isRetryable" | "retryAfterMs">>;

export interface FaultCase {
  name: string;
  fault: ScriptedFault;
  error: ExpectedError;
  /** The adapter's, where it is to pass. */
  deadlineMs?: number;
}

const passedDeadline = {
  error: { kind: "timeout", isRetryable: true },
  deadlineMs: DEADLINE_MS,
} satisfies Partial<FaultCase>;
const CONNECTION: ExpectedError = { kind: "connection", isRetryable: true };

/**
 * What every streaming provider has to live through.
 *
 * @param midStream So many messages or chunks come before what goes wrong within a reply.
 */
export function faultCases(midStream: number): FaultCase[] {
  const after = midStream;
  return [
    {
      name: "a connection that is taken and never answered",
      fault: { type: "stallConnect" },
      ...passedDeadline,
    },
    { name: "a stall before the first byte", fault: { type: "stall", after: 0 }, ...passedDeadline },
    { name: "a stall between chunks", fault: { type: "stall", after }, ...passedDeadline },
    { name: "half open before the first byte", fault: { type: "deaf", after: 0 }, ...passedDeadline },
    { name: "half open in mid-stream", fault: { type: "deaf", after }, ...passedDeadline },
    { name: "a close before the first byte", fault: { type: "close", after: 0 }, error: CONNECTION },
    { name: "a close in mid-stream", fault: { type: "close", after }, error: CONNECTION },
    { name: "a close in the middle of a frame", fault: { type: "cutFrame", after }, error: CONNECTION },
    { name: "a frame that breaks the protocol", fault: { type: "badFrame", after }, error: CONNECTION },
    {
      name: "status 429 with Retry-After",
      fault: { type: "status", status: 429, retryAfterS: 7 },
      // Whether that is worth another attempt is a question of how long it takes: it is the kind's own to say.
      error: { kind: "status", status: 429, retryAfterMs: 7_000 },
    },
    {
      name: "status 500",
      fault: { type: "status", status: 500 },
      error: { kind: "status", status: 500, isRetryable: true },
    },
  ];
}

/** Asserts that an error says what is expected of it; what is not expected is not looked at. */
export function assertProviderError(error: unknown, expected: ExpectedError): void {
  assert.ok(error instanceof ProviderError, String(error));
  const { kind, status, isRetryable, retryAfterMs } = error;
  assert.deepEqual(
    { kind, status, isRetryable, retryAfterMs, ...expected },
    { kind, status, isRetryable, retryAfterMs },
  );
}
