import type { FastifyInstance } from "fastify";

/**
 * Sends answers with status 429 late: a client that repeats its requests at once, without regard to Retry-After, then
 * occupies its own connections and not this node, whose other clients would wait.
 */
export function sendRefusalsLate(app: FastifyInstance, pauseMs: number): void {
  const pending = new Set<() => void>();
  app.addHook("onSend", async (_request, reply) => {
    if (reply.statusCode !== 429) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        pending.delete(end);
        resolve();
      };
      const timer = setTimeout(end, pauseMs);
      pending.add(end);
    });
  });
  app.addHook("preClose", async () => {
    for (const end of pending) end();
  });
}
