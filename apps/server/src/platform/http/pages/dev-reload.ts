import { watch } from "node:fs";
import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

const STREAM_PATH = "/dev/reload";
const SCRIPT_PATH = "/dev/reload.js";

/** An editor writes a file in several steps. */
const SETTLE_MS = 50;

/** Reloads the page when its sources have changed, or once the server answers after a restart, which breaks the stream. */
const script = `let hasBroken = false;
const stream = new EventSource("${STREAM_PATH}");
stream.onerror = () => { hasBroken = true; };
stream.onopen = () => { if (hasBroken) location.reload(); };
stream.onmessage = () => location.reload();
`;

/**
 * For `npm run dev`: pages reload themselves after a restart of the server, and after a change in `sourceFolder`, from which
 * the next request builds them.
 */
export function registerReload(app: FastifyInstance, sourceFolder: string): void {
  app.get(SCRIPT_PATH, { logLevel: "warn" }, async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").header("cache-control", "no-cache").send(script),
  );
  const streams = new Set<ServerResponse>();
  let settling: NodeJS.Timeout | undefined;
  const watcher = watch(sourceFolder, { recursive: true }, () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      for (const stream of streams) stream.write("data: changed\n\n");
    }, SETTLE_MS);
  });
  // An open stream would prevent the server from closing.
  app.addHook("preClose", (done) => {
    watcher.close();
    clearTimeout(settling);
    for (const stream of streams) stream.destroy();
    done();
  });
  app.get(STREAM_PATH, { logLevel: "warn" }, (_request, reply) => {
    reply.hijack();
    streams.add(reply.raw);
    reply.raw.on("close", () => streams.delete(reply.raw));
    reply.raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    reply.raw.write("retry: 200\n\n");
  });
}

export function addReloadScript(html: string): string {
  return html.replace("</head>", `<script src="${SCRIPT_PATH}" defer></script></head>`);
}
