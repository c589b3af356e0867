import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { sendAsset } from "./assets.ts";
import { addReloadScript, registerReload } from "./dev-reload.ts";
import { registerWidgetFiles } from "./widget-files.ts";

const NONCE_BYTES = 16;
/** Placeholder in the page. */
const NONCE = "{{nonce}}";
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

/** Serves the dashboard, and the widget for other pages. The dashboard's pages connect only to this server and those named here. */
export function registerPages(
  app: FastifyInstance,
  { sections, findFolder, sourceFolder, ...addresses }: PageOptions,
): void {
  if (sourceFolder !== undefined) registerReload(app, sourceFolder);
  const find = sourceFolder === undefined ? rememberSuccess(findFolder) : findFolder;
  app.get("/assets/:file", { logLevel: "warn" }, async (request, reply) => {
    return await sendAsset(path.join(await find(), "assets"), request, reply);
  });
  registerWidgetFiles(app, async () => path.join(await find(), "widget"));
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
