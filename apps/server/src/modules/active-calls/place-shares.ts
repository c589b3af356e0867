export interface PlaceSharesOptions {
  /** Part of the node's places that only organizations with few calls take. 0: none. */
  reservedShare: number;
  /** Counts the organizations of the installation: a single one has all places. */
  countOrganizations: () => Promise<number>;
}

const COUNTED_MS = 60_000;

/**
 * Divides the places of a node among organizations. The last ones are for organizations that have fewer calls here than
 * an equal division would give them, so that no organization takes the whole node from the others.
 */
export class PlaceShares {
  readonly #options: PlaceSharesOptions;
  /** Calls of this node, by organization. */
  readonly #taken = new Map<string, number>();
  #isShared = false;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PlaceSharesOptions) {
    this.#options = options;
  }

  /** Counts the organizations again. Rejects if the database does not answer. */
  async refresh(): Promise<void> {
    this.#countedAtMs = performance.now();
    this.#isShared = (await this.#options.countOrganizations()) > 1;
  }

  /** Whether the organization may take one of these free places. */
  isAllowed(organizationId: string, free: number): boolean {
    if (performance.now() - this.#countedAtMs > COUNTED_MS) this.refresh().catch(() => {});
    const total = free + sum(this.#taken.values());
    const reserved = Math.ceil(total * this.#options.reservedShare);
    if (!this.#isShared || free > reserved) return true;
    const others = this.#taken.size - (this.#taken.has(organizationId) ? 1 : 0);
    // An organization that is alone on this node leaves as many as another one might need.
    const fairShare = total / (1 + Math.max(1, others));
    return (this.#taken.get(organizationId) ?? 0) < fairShare;
  }

  /** Counts a call of the organization until it is disposed. */
  take(organizationId: string): Disposable {
    this.#taken.set(organizationId, (this.#taken.get(organizationId) ?? 0) + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (this.#taken.get(organizationId) ?? 0) - 1;
        if (left > 0) this.#taken.set(organizationId, left);
        else this.#taken.delete(organizationId);
      },
    };
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
