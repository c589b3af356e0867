import type { WidgetEvent } from "@parley/contract";
import { createParser } from "eventsource-parser";

/** The server sends a comment every 15 s. */
const MAX_SILENCE_MS = 40_000;

export interface ReceivedEvent {
  /** Place to continue from; `undefined` for events that are not stored. */
  id: string | undefined;
  event: WidgetEvent;
}

/** Reads server-sent events until the stream ends, or has been silent for too long. */
export async function readEvents(
  response: Response,
  onEvent: (received: ReceivedEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const event = parseEvent(data);
      if (event !== undefined) onEvent({ id, event });
    },
  });
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    while (!signal.aborted) {
      const timer = setTimeout(cancel, MAX_SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      parser.feed(value);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

function parseEvent(data: string): WidgetEvent | undefined {
  try {
    return JSON.parse(data) as WidgetEvent;
  } catch {
    return undefined;
  }
}
