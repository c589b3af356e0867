import { constants, setPriority } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import { createMediaHost, type MediaHost } from "./media-host.ts";
import type { FromMedia, ToMedia } from "./media-protocol.ts";
import { runChild } from "../platform/child-main.ts";

preferAudio();

/** A media process: does what the main process tells it by messages, and ends with it. */
let host: Promise<MediaHost> | undefined;

const { send } = runChild<ToMedia, FromMedia>({
  onMessage: (message) => {
    if (message.type === "configure") {
      host = createMediaHost(message, send);
      host.then(
        () => send({ type: "ready" }),
        (error: unknown) => {
          process.stderr.write(`the media process cannot start: ${errorMessage(error)}\n`);
          process.exit(1);
        },
      );
    } else void host?.then((ready) => ready.receive(message));
  },
  close: async () => await (await host)?.close(),
});

/** Audio that comes a moment late is heard to; what the other processes do can wait for that moment. */
function preferAudio(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Few systems let any user do this (docs/operating.md); where nothing competes nothing is lost.
  }
}
