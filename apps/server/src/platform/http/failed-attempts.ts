import { isIPv4 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";
import { AttemptLimit } from "./attempt-limit.ts";

declare module "fastify" {
  interface FastifyInstance {
    failedAttempts: FailedAttempts;
  }
}

/** Maximum failures at once per source: an IPv4 address or a /64 IPv6 network. */
const BURST = 60;
/** Interval after which one more failure is allowed. */
const INTERVAL_MS = 1_000;

/**
 * Counts invalid credentials per source. A valid credential is never rejected because of them: it is checked first,
 * since many people may share an address.
 */
export class FailedAttempts {
  readonly #limit: AttemptLimit;

  constructor(nowMs?: () => number) {
    this.#limit = new AttemptLimit({ burst: BURST, intervalMs: INTERVAL_MS, nowMs });
  }

  /** Counts a failure. Returns the milliseconds until the source may fail again; 0 if at once. */
  note(address: string): number {
    return this.#limit.take(sourceOf(address));
  }
}

/** Error for an invalid credential: `unauthorized`, or `rate_limited` if the source had too many of them. */
export function refuseCredential(
  { server, ip }: FastifyRequest,
  reply: FastifyReply,
  unauthorized = new AppError("unauthorized"),
): AppError {
  const waitMs = server.failedAttempts.note(ip);
  if (waitMs === 0) return unauthorized;
  reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
  return new AppError("rate_limited", {
    message:
      "Too many requests from this address had invalid credentials. Retry after the time in the Retry-After header.",
  });
}

export function sourceOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, "");
  if (isIPv4(mapped)) return mapped;
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}
