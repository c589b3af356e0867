/** More than a person presses. Each key is work for the conversation. */
const MAX_KEYS_PER_SECOND = 25;
const MAX_MESSAGE_CHARACTERS = 256;

/** Reads the keys that a browser presses from its messages on the data channel; ignores everything else. */
export class BrowserKeys {
  readonly #onKey: (key: string) => void;
  #second = 0;
  #keysInSecond = 0;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  /** @param nowMs Monotonic milliseconds. */
  receive(message: unknown, nowMs: number): void {
    const key = readKey(message);
    if (key === undefined) return;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#keysInSecond = 0;
    this.#second = second;
    this.#keysInSecond++;
    if (this.#keysInSecond <= MAX_KEYS_PER_SECOND) this.#onKey(key);
  }
}

function readKey(message: unknown): string | undefined {
  if (typeof message !== "string" || message.length > MAX_MESSAGE_CHARACTERS) return undefined;
  try {
    const command: unknown = JSON.parse(message);
    if (typeof command !== "object" || command === null) return undefined;
    if (!("type" in command && "key" in command) || command.type !== "key") return undefined;
    return typeof command.key === "string" && /^[0-9A-D*#]$/.test(command.key) ? command.key : undefined;
  } catch {
    return undefined;
  }
}
