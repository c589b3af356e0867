import { errorMessage } from "@parley/conversation/error-message";
import { preferAudio } from "./audio-priority.ts";
import { createMediaHost, type MediaHost } from "./media-host.ts";
import type { FromMedia, ToMedia } from "./media-protocol.ts";
import { runChild } from "../platform/child-main.ts";

preferAudio();

/** Entry point of a media process: carries out the main process's messages and ends with it. */
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
