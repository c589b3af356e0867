import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { PageFile } from "@parley/dashboard";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";
import { addReloadScript, registerReload } from "./dev-reload.ts";

interface ServedFile extends PageFile {
  gzipped: Uint8Array;
  etag: string;
}

interface PageAddresses {
  /** Address at which browsers join calls, if it differs from the page's own. */
  callUrl?: string | undefined;
  /** Address of recordings, if another server serves them. */
  recordingUrl?: string | undefined;
}

interface PageOptions extends PageAddresses {
  /** Whether pages reload themselves when the server has restarted. */
  isDevelopment?: boolean;
}

/**
 * Serves the web pages. They connect only to this server and those named here.
 *
 * @param build Called once, with the first request.
 */
export function registerPages(
  app: FastifyInstance,
  build: () => Promise<readonly PageFile[]>,
  { isDevelopment = false, ...addresses }: PageOptions = {},
): void {
  if (isDevelopment) registerReload(app);
  let served: Promise<ReadonlyMap<string, ServedFile>> | undefined;
  const serveAll = async (): Promise<ReadonlyMap<string, ServedFile>> => {
    const files = await build();
    const ready = isDevelopment ? files.map(addReload) : files;
    return new Map(ready.map((file) => [file.path, prepare(file)]));
  };
  const headers = {
    "content-security-policy": contentSecurityPolicy(addresses),
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  app.get("/", { logLevel: "warn" }, async (_request, reply) => await reply.redirect("/try"));
  for (const url of ["/try", "/assets/:file"]) {
    app.get(url, { logLevel: "warn" }, async (request, reply) => {
      const [path = ""] = request.url.split("?");
      const file = (await (served ??= serveAll())).get(path);
      if (file === undefined) throw new AppError("not_found");
      reply.headers(headers);
      return await send(file, request, reply);
    });
  }
}

async function send(file: ServedFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.headers({
    "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === file.etag) return await reply.code(304).send();
  reply.type(file.contentType);
  const isGzipAccepted = /\bgzip\b/.test(String(request.headers["accept-encoding"]));
  if (!isGzipAccepted) return await reply.send(file.bytes);
  return await reply.header("content-encoding", "gzip").send(file.gzipped);
}

function addReload(file: PageFile): PageFile {
  if (!file.contentType.startsWith("text/html")) return file;
  return { ...file, bytes: Buffer.from(addReloadScript(Buffer.from(file.bytes).toString("utf8"))) };
}

function prepare(file: PageFile): ServedFile {
  const hash = createHash("sha256").update(file.bytes).digest("base64url").slice(0, 22);
  return { ...file, gzipped: gzipSync(file.bytes, { level: 9 }), etag: `W/"${hash}"` };
}

function contentSecurityPolicy({ callUrl, recordingUrl }: PageAddresses): string {
  const selfAnd = (...urls: (string | undefined)[]): string =>
    ["'self'", ...urls.flatMap((url) => (url === undefined ? [] : new URL(url).origin))].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${selfAnd(callUrl)}`,
    `media-src ${selfAnd(callUrl, recordingUrl)}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
