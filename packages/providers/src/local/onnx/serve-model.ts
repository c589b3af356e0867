import { errorMessage } from "@parley/conversation/error-message";
import type { FromModelProcess, ToModelProcess } from "./model-process.ts";

/** Runs a model for the `ModelProcess` that started this process, and ends with it. */
export function serveModel<Model, Request, Result>(
  open: () => Promise<Model>,
  run: (model: Model, request: Request) => Promise<Result>,
): void {
  const send = (message: FromModelProcess<Result>): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const reply = (id: number, answer: { result: Result } | { error: string }): void => {
    const { user, system } = process.cpuUsage();
    send({ type: "reply", id, answer, processorMs: (user + system) / 1000 });
  };
  // The parent is gone. Ctrl-C reaches the whole process group, so the parent decides when this process ends.
  process.on("disconnect", () => process.exit(0));
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  const opened = open();
  opened.then(
    () => send({ type: "opened" }),
    () => {},
  );
  process.on("message", (message) => {
    const { id, request } = message as ToModelProcess<Request>;
    opened
      .then(async (model) => await run(model, request))
      .then(
        (result) => reply(id, { result }),
        (error: unknown) => reply(id, { error: errorMessage(error) }),
      );
  });
}
