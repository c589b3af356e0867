import path from "node:path";
import type { FastifyInstance } from "fastify";
import { sendAsset, sendFile } from "./assets.ts";

/** The preview runs in the dashboard's frame. Pictures of agents come from any server, as on the pages of others. */
const PREVIEW_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src https: http: data:",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * Serves the widget to pages of all origins: `/widget.js` for a script tag, `/widget.mjs` for modules, the files that they load,
 * and the dashboard's preview.
 *
 * @param findFolder Returns the folder of the built widget.
 */
export function registerWidgetFiles(app: FastifyInstance, findFolder: () => Promise<string>): void {
  app.register(async (files) => {
    files.addHook("onRequest", async (_request, reply) => {
      // Modules are requested with CORS, and isolated pages load only what permits it.
      reply.header("access-control-allow-origin", "*");
      reply.header("cross-origin-resource-policy", "cross-origin");
    });
    for (const file of ["widget.js", "widget.mjs"])
      files.get(`/${file}`, { logLevel: "warn" }, async (request, reply) =>
        sendFile({ folder: await findFolder(), file }, request, reply),
      );
    files.get("/widget-assets/:file", { logLevel: "warn" }, async (request, reply) =>
      sendAsset(path.join(await findFolder(), "assets"), request, reply),
    );
  });
  app.get("/widget-preview", { logLevel: "warn" }, async (request, reply) => {
    reply.header("content-security-policy", PREVIEW_POLICY);
    return await sendFile({ folder: await findFolder(), file: "preview.html" }, request, reply);
  });
}
