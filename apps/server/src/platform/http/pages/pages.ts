import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../app-error.ts";
import { addReloadScript, registerReload } from "./dev-reload.ts";

const NONCE_BYTES = 16;
/** Placeholder in the page. */
const NONCE = "{{nonce}}";
/** Best first; the last is the file as it is, which every client accepts. */
const encodings = [
  { name: "br", extension: ".br", pattern: /\bbr\b/ },
  { name: "gzip", extension: ".gz", pattern: /\bgzip\b/ },
  { name: undefined, extension: "", pattern: /(?:)/ },
] as const;
const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
};
const assetHeaders = { vary: "accept-encoding", "x-content-type-options": "nosniff" };
const assetOptions = { immutable: true, maxAge: "365d", index: false } as const;

interface PageAddresses {
  /** Address at which browsers join calls, if it differs from the page's own. */
  callUrl?: string | undefined;
  /** Address of recordings, if another server serves them. */
  recordingUrl?: string | undefined;
}

interface PageOptions extends PageAddresses {
  /** Paths that the dashboard answers, each with all below it. */
  sections: readonly string[];
  /** Returns the folder of the built pages: `index.html` and `assets/`. Called once; in development, for each request. */
  findFolder: () => Promise<string>;
  /** In development, the folder of the pages' sources: pages reload themselves when it changes. */
  sourceFolder?: string | undefined;
}

/** Serves the dashboard. Its pages connect only to this server and those named here. */
export function registerPages(
  app: FastifyInstance,
  { sections, findFolder, sourceFolder, ...addresses }: PageOptions,
): void {
  if (sourceFolder !== undefined) registerReload(app, sourceFolder);
  const find = sourceFolder === undefined ? rememberSuccess(findFolder) : findFolder;
  app.get("/assets/:file", { logLevel: "warn" }, async (request, reply) => {
    return await sendAsset(path.join(await find(), "assets"), request, reply);
  });
  for (const url of ["/", ...sections.flatMap((section) => [section, `${section}/*`])]) {
    app.get(url, { logLevel: "warn" }, async (_request, reply) => {
      const html = await readFile(path.join(await find(), "index.html"), "utf8");
      const nonce = randomBytes(NONCE_BYTES).toString("base64");
      reply.headers({
        "cache-control": "no-store",
        "content-security-policy": contentSecurityPolicy(nonce, addresses),
        "permissions-policy": "microphone=(self), camera=(), geolocation=()",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      const page = html.replaceAll(NONCE, nonce);
      return await reply
        .type("text/html; charset=utf-8")
        .send(sourceFolder === undefined ? page : addReloadScript(page));
    });
  }
}

/** Sends a file whose name changes with its content, compressed if the build has compressed it. */
async function sendAsset(
  folder: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Loaded on demand, because the start need not wait for it.
  const { send } = await import("@fastify/send");
  const { file } = request.params as { file: string };
  const accepted = String(request.headers["accept-encoding"]);
  for (const { name, extension, pattern } of encodings) {
    if (!pattern.test(accepted) || !isFileName(file)) continue;
    const sent = await send(request.raw, `${file}${extension}`, { root: folder, ...assetOptions });
    if (sent.statusCode >= 400) continue;
    const headers = { ...sent.headers, ...assetHeaders, "content-type": typeOf(file) };
    if (name !== undefined) reply.header("content-encoding", name);
    return await reply.code(sent.statusCode).headers(headers).send(sent.stream);
  }
  throw new AppError("not_found");
}

/** A failure is not remembered: the next page tries again. */
function rememberSuccess<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return async () => {
    found ??= find();
    try {
      return await found;
    } catch (error) {
      found = undefined;
      throw error;
    }
  };
}

const isFileName = (file: string): boolean => /^[\w-][\w.-]*$/.test(file);

const typeOf = (file: string): string => contentTypes[path.extname(file)] ?? "application/octet-stream";

/** The nonce allows the style elements of the component library, which hold no user's text. */
function contentSecurityPolicy(nonce: string, { callUrl, recordingUrl }: PageAddresses): string {
  const selfAnd = (...urls: (string | undefined)[]): string =>
    ["'self'", ...urls.flatMap((url) => (url === undefined ? [] : new URL(url).origin))].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${selfAnd(callUrl)}`,
    `media-src ${selfAnd(callUrl, recordingUrl)}`,
    // The reference of the API.
    "frame-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
