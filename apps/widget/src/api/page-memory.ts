/** A message that the server has not confirmed. */
export interface UnsentMessage {
  id: string;
  text: string;
  createdAt: string;
}

interface RememberedPage {
  isOpen?: boolean;
  /** The visitor's call, until it has ended. */
  callId?: string | undefined;
  /** When the page was left during the call, in milliseconds of the browser's clock. */
  leftAtMs?: number;
  /** Messages that the server has not confirmed. */
  unsent?: readonly UnsentMessage[];
}

/** What one tab of the browser remembers over a reload. */
export class PageMemory {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  read(): RememberedPage {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(this.#key) ?? "{}");
      return typeof stored === "object" && stored !== null ? stored : {};
    } catch {
      return {};
    }
  }

  write(change: RememberedPage): void {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ ...this.read(), ...change }));
    } catch {
      // Browsers can refuse storage, for example in private windows.
    }
  }
}
