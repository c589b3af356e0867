import { createHash } from "node:crypto";
import type { ProviderConfiguration } from "./provider-configuration.ts";

/** Sets that no one uses at present and that are kept open for their organizations. */
const MAX_IDLE = 50;

interface Entry<T> {
  digest: string;
  opened: Promise<T>;
  uses: number;
  /** Its configuration has changed, so nothing uses it anew. */
  isRetired: boolean;
}

/** A set in use. */
export interface Lease<T> {
  set: T;
  /** Idempotent. */
  release: () => void;
}

/**
 * What is opened with the keys of an organization, such as the clients of its providers: once for each, until the keys
 * change and its last user is done.
 */
export class OrganizationSets<T extends { close: () => void | Promise<void> }> {
  readonly #open: (configuration: ProviderConfiguration) => Promise<T>;
  /** By organization, the last used one last. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #closing = new Set<Promise<void>>();

  constructor(open: (configuration: ProviderConfiguration) => Promise<T>) {
    this.#open = open;
  }

  async use(organizationId: string, configuration: ProviderConfiguration): Promise<Lease<T>> {
    const digest = createHash("sha256").update(JSON.stringify(configuration)).digest("base64");
    const known = this.#entries.get(organizationId);
    this.#entries.delete(organizationId);
    if (known !== undefined && known.digest !== digest) this.#retire(known);
    const entry =
      known?.digest === digest
        ? known
        : { digest, opened: this.#open(configuration), uses: 0, isRetired: false };
    this.#entries.set(organizationId, entry);
    entry.uses += 1;
    this.#dropIdle();
    try {
      return { set: await entry.opened, release: this.#releaser(entry) };
    } catch (error) {
      if (this.#entries.get(organizationId) === entry) this.#entries.delete(organizationId);
      throw error;
    }
  }

  /** Closes all sets, also those in use. Idempotent. */
  async close(): Promise<void> {
    for (const entry of this.#entries.values()) this.#close(entry);
    this.#entries.clear();
    await Promise.all(this.#closing);
  }

  #releaser(entry: Entry<T>): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      entry.uses -= 1;
      if (entry.isRetired && entry.uses === 0) this.#close(entry);
    };
  }

  #retire(entry: Entry<T>): void {
    entry.isRetired = true;
    if (entry.uses === 0) this.#close(entry);
  }

  #dropIdle(): void {
    const idle = [...this.#entries].filter(([, { uses }]) => uses === 0);
    for (const [organizationId, entry] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) {
      this.#entries.delete(organizationId);
      this.#retire(entry);
    }
  }

  #close({ opened }: Entry<T>): void {
    // What could not be opened needs no closing.
    const closing = opened.then(
      async (set) => await set.close(),
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
