import type { ProviderFault } from "@parley/conversation";

/** Failures in a row, without an answer between them, after which a provider is passed over. */
const FAILURES_TO_OPEN = 3;
const MIN_OPEN_MS = 15_000;
const MAX_OPEN_MS = 300_000;
/** Time for the one conversation that tries a provider again. */
const TRIAL_MS = 15_000;
/** Refusals that say nothing about other requests have other statuses: an unknown voice, a text that is too long. */
const PROVIDER_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 408, 429]);
/** Providers of all organizations that fail at present. */
const MAX_CIRCUITS = 10_000;

interface Circuit {
  failures: number;
  /** 0 until it opens for the first time. */
  openMs: number;
  openUntilMs: number;
  /** Whether one conversation tries it again. */
  isOnTrial: boolean;
}

const CLOSED: Circuit = { failures: 0, openMs: 0, openUntilMs: 0, isOnTrial: false };

/**
 * Passes over providers that fail, for the conversations of one organization: the keys, quotas and networks of others
 * differ. After some failures in a row a provider is not used while another is available. Then one conversation tries it
 * again: an answer closes the circuit, a failure opens it for twice the time.
 */
export class ProviderCircuits {
  readonly #now: () => number;
  /** By organization and provider. Those that answer have none. */
  readonly #circuits = new Map<string, Circuit>();

  /** @param now Monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of circuits that are open. */
  get openCount(): number {
    return [...this.#circuits.values()].filter((circuit) => this.#isOpen(circuit)).length;
  }

  /**
   * Orders providers of the same service by preference: the first one that may be used, then the others, those with an open
   * circuit last.
   */
  prefer<T>(
    organizationId: string,
    providers: readonly [T, ...T[]],
    nameOf: (provider: T) => string,
  ): [T, ...T[]] {
    const circuitOf = (provider: T) => this.#circuits.get(toKey(organizationId, nameOf(provider)));
    const isOpen = (provider: T): boolean => this.#isOpen(circuitOf(provider));
    const first = providers.find((provider) => !isOpen(provider)) ?? providers[0];
    this.#beginTrial(circuitOf(first));
    const others = providers.filter((provider) => provider !== first);
    return [first, ...others.filter((provider) => !isOpen(provider)), ...others.filter(isOpen)];
  }

  noteFailure(
    organizationId: string,
    {
      provider,
      kind,
      status = 0,
    }: Pick<ProviderFault, "provider" | "kind"> & { status?: number | undefined },
  ): void {
    if (kind === "status" && Math.trunc(status / 100) !== 5 && !PROVIDER_STATUSES.has(status)) return;
    const key = toKey(organizationId, provider);
    const before = this.#circuits.get(key) ?? CLOSED;
    const failures = before.failures + 1;
    // Conversations that began before it opened may still use it.
    const opens = before.isOnTrial || (failures >= FAILURES_TO_OPEN && !this.#isOpen(before));
    const openMs = opens ? Math.min(MAX_OPEN_MS, Math.max(MIN_OPEN_MS, 2 * before.openMs)) : before.openMs;
    const openUntilMs = opens ? this.#now() + openMs : before.openUntilMs;
    this.#circuits.delete(key);
    this.#circuits.set(key, { failures, openMs, openUntilMs, isOnTrial: false });
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size > MAX_CIRCUITS && oldest !== undefined) this.#circuits.delete(oldest);
  }

  noteAnswer(organizationId: string, provider: string): void {
    if (this.#circuits.size > 0) this.#circuits.delete(toKey(organizationId, provider));
  }

  #isOpen(circuit: Circuit | undefined): boolean {
    return circuit !== undefined && this.#now() < circuit.openUntilMs;
  }

  /** Keeps other conversations away while one tries the provider again. */
  #beginTrial(circuit: Circuit | undefined): void {
    if (circuit === undefined || circuit.openMs === 0 || this.#isOpen(circuit)) return;
    circuit.openUntilMs = this.#now() + TRIAL_MS;
    circuit.isOnTrial = true;
  }
}

/** Some clients add the kind of API to the provider's name: `openai.chat/gpt-4o-mini`. */
function toKey(organizationId: string, provider: string): string {
  return `${organizationId} ${provider.replace(/^([^/.]+)\.[^/]*/, "$1")}`;
}
