import path from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../app-error.ts";

/** Best first; the last is the file as it is, which every client accepts. */
const encodings = [
  { name: "br", extension: ".br", pattern: /\bbr\b/ },
  { name: "gzip", extension: ".gz", pattern: /\bgzip\b/ },
  { name: undefined, extension: "", pattern: /(?:)/ },
] as const;
const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
};
const assetHeaders = { vary: "accept-encoding", "x-content-type-options": "nosniff" };
const UNLIMITED = { immutable: true, maxAge: "365d" } as const;
/** Browsers ask before each use whether there is a newer file. */
const REVALIDATED = { immutable: false, maxAge: 0 } as const;

/** Sends the file that the request names. Its name changes with its content. */
export async function sendAsset(
  folder: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { file } = request.params as { file: string };
  return await sendFile({ folder, file, caching: UNLIMITED }, request, reply);
}

interface SentFile {
  folder: string;
  /** Name in the folder. Names of other forms are not found. */
  file: string;
  /** Default: browsers revalidate the file. */
  caching?: typeof UNLIMITED | typeof REVALIDATED;
}

/** Sends a file of a build, compressed if the build has compressed it. */
export async function sendFile(
  { folder, file, caching = REVALIDATED }: SentFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Loaded on demand, because the start need not wait for it.
  const { send } = await import("@fastify/send");
  const accepted = String(request.headers["accept-encoding"]);
  for (const { name, extension, pattern } of encodings) {
    if (!pattern.test(accepted) || !isFileName(file)) continue;
    const sent = await send(request.raw, `${file}${extension}`, { root: folder, index: false, ...caching });
    if (sent.statusCode >= 400) continue;
    const headers = { ...sent.headers, ...assetHeaders, "content-type": typeOf(file) };
    if (name !== undefined) reply.header("content-encoding", name);
    return await reply.code(sent.statusCode).headers(headers).send(sent.stream);
  }
  throw new AppError("not_found");
}

const isFileName = (file: string): boolean => /^[\w-][\w.-]*$/.test(file);

const typeOf = (file: string): string => contentTypes[path.extname(file)] ?? "application/octet-stream";
