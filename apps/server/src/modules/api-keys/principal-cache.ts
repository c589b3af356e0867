import type { Principal } from "../../platform/http/principal.ts";

const LIFETIME_MS = 30_000;
const LARGEST_SIZE = 10_000;

export interface CachedKey {
  principal: Principal;
  expiresAt: Date | null;
}

/** Keys that were good lately. Unknown ones are not remembered: guesses would drive out what is in use. */
export class PrincipalCache {
  readonly #entries = new Map<string, CachedKey & { staleAtMs: number }>();

  get(hash: string, nowMs: number): CachedKey | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || entry.staleAtMs > nowMs) return entry;
    this.#entries.delete(hash);
    return undefined;
  }

  set(hash: string, key: CachedKey, nowMs: number): void {
    this.#entries.delete(hash);
    this.#entries.set(hash, { ...key, staleAtMs: nowMs + LIFETIME_MS });
    // The first is the one that was stored longest ago.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > LARGEST_SIZE && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(hash: string): void {
    this.#entries.delete(hash);
  }
}
