import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Clock } from "../clock.ts";
import { AppError } from "../app-error.ts";
import { type FolderStorage, OBJECTS_PATH } from "./folder-storage.ts";
import { contentTypeOf } from "./object-storage.ts";

interface ObjectRequest {
  Params: { "*": string };
  Querystring: { expires?: string; signature?: string };
}

/** Serves a folder's objects to clients with a valid link. */
export function registerFolderRoutes(app: FastifyInstance, storage: FolderStorage, clock: Clock): void {
  app.get<ObjectRequest>(`${OBJECTS_PATH}/*`, async ({ params, query, headers }, reply) => {
    const { expires, signature } = query;
    const isSigned = typeof expires === "string" && typeof signature === "string";
    const file = isSigned ? storage.openLink(params["*"], expires, signature, clock.now()) : undefined;
    if (file === undefined)
      throw new AppError("not_found", { message: "The link is invalid or has expired." });
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) throw new AppError("not_found");
    reply.type(contentTypeOf(file)).header("accept-ranges", "bytes");
    reply.header("cache-control", "private").header("x-content-type-options", "nosniff");
    return await sendRange(reply, file, found.size, headers.range);
  });
}

/** Sends one range (RFC 9110 §14). Several or malformed ranges are answered with the whole file, as §14.2 allows. */
async function sendRange(
  reply: FastifyReply,
  file: string,
  size: number,
  header: string | undefined,
): Promise<FastifyReply> {
  const range = parseRange(header, size);
  if (range === "unsatisfiable") {
    reply.code(416).header("content-range", `bytes */${size}`);
    return await reply.send();
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range !== undefined) reply.code(206).header("content-range", `bytes ${start}-${end}/${size}`);
  reply.header("content-length", end - start + 1);
  return await reply.send(size === 0 ? "" : createReadStream(file, { start, end }));
}

/** Both ends are inclusive. */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const [start, end] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (start >= size) return "unsatisfiable";
  return end < start ? undefined : { start, end };
}
