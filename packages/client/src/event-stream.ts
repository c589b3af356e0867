import { createParser } from "eventsource-parser";

/** The server sends a comment every 15 s: a connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 45_000;
/** Longest event that is read, in characters. */
const MAX_EVENT_CHARACTERS = 1_048_576;

/** An event of a stream, with the id from which the stream can be continued. */
export interface ServerSentEvent {
  id: string | undefined;
  data: string;
}

/** Yields the events of a response until it ends or the signal aborts. Throws if it breaks off, or is silent for 45 s. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const events: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void events.push({ id, data }) });
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let unread = 0;
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      unread += value.length;
      parser.feed(decoder.decode(value, { stream: true }));
      if (events.length > 0) unread = 0;
      if (unread > MAX_EVENT_CHARACTERS) throw new Error("an event of the stream is longer than 1 MiB");
      yield* events.splice(0);
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    // Ends the connection if the consumer has stopped reading.
    await reader.cancel().catch(() => undefined);
  }
}

async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the stream was silent for ${MAX_SILENCE_MS} ms`)),
      MAX_SILENCE_MS,
    );
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
