/** What one tab of the browser remembers over a reload. */
export class PageMemory {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  read(): { isOpen?: boolean; callId?: string } {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(this.#key) ?? "{}");
      return typeof stored === "object" && stored !== null ? stored : {};
    } catch {
      return {};
    }
  }

  write(change: { isOpen?: boolean; callId?: string | undefined }): void {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ ...this.read(), ...change }));
    } catch {
      // Browsers can refuse storage, for example in private windows.
    }
  }
}
