import assert from "node:assert/strict";
import { ProviderError } from "@parley/conversation";
import type { ScriptedFault } from "../scripted-fault.ts";
import { DEADLINE_MS } from "./wire.ts";

type ExpectedError = Partial<Pick<ProviderError, "kind" | "status" | "isRetryable" | "retryAfterMs">>;

export interface FaultCase {
  name: string;
  fault: ScriptedFault;
  error: ExpectedError;
  /** The adapter's deadline, if it is to be exceeded. */
  deadlineMs?: number;
}

const PASSED_DEADLINE = {
  error: { kind: "timeout", isRetryable: true },
  deadlineMs: DEADLINE_MS,
} satisfies Partial<FaultCase>;
const CONNECTION: ExpectedError = { kind: "connection", isRetryable: true };

/**
 * Faults that every streaming provider must survive.
 *
 * @param midStream Messages or chunks sent before a fault within a reply.
 */
export function faultCases(midStream: number): FaultCase[] {
  const after = midStream;
  return [
    {
      name: "a connection that is taken and never answered",
      fault: { type: "stallConnect" },
      ...PASSED_DEADLINE,
    },
    { name: "a stall before the first byte", fault: { type: "stall", after: 0 }, ...PASSED_DEADLINE },
    { name: "a stall between chunks", fault: { type: "stall", after }, ...PASSED_DEADLINE },
    { name: "half open before the first byte", fault: { type: "deaf", after: 0 }, ...PASSED_DEADLINE },
    { name: "half open in mid-stream", fault: { type: "deaf", after }, ...PASSED_DEADLINE },
    { name: "a close before the first byte", fault: { type: "close", after: 0 }, error: CONNECTION },
    { name: "a close in mid-stream", fault: { type: "close", after }, error: CONNECTION },
    { name: "a close in the middle of a frame", fault: { type: "cutFrame", after }, error: CONNECTION },
    { name: "a frame that breaks the protocol", fault: { type: "badFrame", after }, error: CONNECTION },
    {
      name: "status 429 with Retry-After",
      fault: { type: "status", status: 429, retryAfterS: 7 },
      // Whether a retry is worthwhile depends on the kind of provider.
      error: { kind: "status", status: 429, retryAfterMs: 7_000 },
    },
    {
      name: "status 500",
      fault: { type: "status", status: 500 },
      error: { kind: "status", status: 500, isRetryable: true },
    },
  ];
}

/** Asserts the expected properties of an error; properties without an expectation are ignored. */
export function assertProviderError(error: unknown, expected: ExpectedError): void {
  assert.ok(error instanceof ProviderError, String(error));
  const { kind, status, isRetryable, retryAfterMs } = error;
  assert.deepEqual(
    { kind, status, isRetryable, retryAfterMs, ...expected },
    { kind, status, isRetryable, retryAfterMs },
  );
}
