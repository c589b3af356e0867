/** `Idempotency-Key`: a repeated request gets the answer of the first. */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";
import type { EffectOptions } from "../idempotency/idempotency.ts";

export const REPLAYED_HEADER = "idempotent-replayed";
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && idempotencyKeyPattern.test(key)) return key;
  const message = "must be 1 to 255 visible ASCII characters";
  throw new AppError("invalid_query", {
    message: "The Idempotency-Key header is invalid.",
    issues: [{ path: "Idempotency-Key", message }],
  });
}

/** Sends the answer of `run`, or the one that is stored under the key in this scope. */
export async function answerOnce(
  { organizationId, key }: { organizationId: string; key: string },
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
  effect: EffectOptions,
): Promise<FastifyReply> {
  const { method, url, query, body, file, server } = request;
  const [path = ""] = url.split("?");
  const content = [query, body ?? {}, ...(file === undefined ? [] : [hashOf(file)])];
  const { body: answer, isReplayed } = await server.idempotency.once(
    { organizationId, method, path, key, content },
    async () => ({ status: reply.statusCode, body: serialize(reply, await run()) }),
    effect,
  );
  if (isReplayed) reply.header(REPLAYED_HEADER, "true");
  return await reply.type("application/json; charset=utf-8").send(answer);
}

function hashOf(file: Uint8Array): string {
  return createHash("sha256").update(file).digest("hex");
}

function serialize(reply: FastifyReply, answer: unknown): string {
  const text = reply.serialize(answer);
  if (typeof text !== "string") throw new TypeError("an answer of the API is JSON");
  return text;
}
