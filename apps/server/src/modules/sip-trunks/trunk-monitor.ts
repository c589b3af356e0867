import type { SipTrunkHealth } from "@parley/contract";
import type { OptionsPinger, PeerState, Registration, RegistrationState, UserAgent } from "@parley/sip";
import { accountUriOf, nextHopOf, unknownHealth, uriHostOf } from "./sip-trunks.rules.ts";
import type { SipCredentials } from "./sip-trunks.service.ts";
import type { SipTrunkRow } from "./sip-trunks.store.ts";
import type { SeenTrunk } from "./trunk-monitors.store.ts";

export interface TrunkMonitorOptions {
  agent: UserAgent;
  trunk: SipTrunkRow;
  credentials: SipCredentials | undefined;
  now: () => Date;
  onChange: (seen: SeenTrunk) => void;
}

/** User part of our URI if the trunk has no account. */
const ANYBODY = "parley";

/** Pings one trunk, and registers with it if its settings require it, until closed. */
export class TrunkMonitor {
  readonly #options: TrunkMonitorOptions;
  readonly #key: string;
  readonly #pinger: OptionsPinger | undefined;
  readonly #registration: Registration | undefined;
  #health: SipTrunkHealth = unknownHealth;
  #serviceRoutes: string[] = [];

  constructor(options: TrunkMonitorOptions) {
    this.#options = options;
    const { agent, trunk, credentials } = options;
    this.#key = keyOf(trunk);
    const server = nextHopOf(trunk);
    if (server === undefined) return;
    this.#pinger = agent.watch({
      to: `sip:${uriHostOf(server)}`,
      from: accountUriOf(server, trunk.username ?? ANYBODY),
      destination: server,
      onChange: (state) => this.#onPing(state),
    });
    if (!trunk.isRegistrationRequired || credentials === undefined) return;
    this.#health = { ...this.#health, registration: this.#seen("registering", null) };
    this.#registration = agent.register({
      address: accountUriOf(server, credentials.username),
      servers: [server],
      credentials,
      onChange: (state) => this.#onRegistration(state),
    });
  }

  get seen(): SeenTrunk {
    return { health: this.#health, serviceRoutes: this.#serviceRoutes };
  }

  /** Whether the monitor's settings are still those of the trunk. */
  isFor(trunk: SipTrunkRow): boolean {
    return keyOf(trunk) === this.#key;
  }

  #onPing(state: PeerState): void {
    const reason = state.status === "down" ? state.reason : null;
    this.#change({ ...this.#health, ...this.#seen(state.status, reason) });
  }

  #onRegistration(state: RegistrationState): void {
    if (state.status === "closed") return;
    const reason = state.status === "failed" ? state.reason : null;
    const before = this.#health.registration;
    const formerRoutes = this.#serviceRoutes.join();
    // RFC 3608 §5: valid until the next registration replaces them, also while that is in progress.
    if (state.status === "registered") this.#serviceRoutes = [...state.serviceRoutes];
    if (state.status === "failed") this.#serviceRoutes = [];
    const isSameWay = this.#serviceRoutes.join() === formerRoutes;
    // A successful refresh, and a failure equal to the previous one, change nothing.
    if (isSameWay && before.state === state.status && before.reason === reason) return;
    this.#change({ ...this.#health, registration: this.#seen(state.status, reason) });
  }

  #seen<State extends string>(state: State, reason: string | null) {
    return { state, reason, since: this.#options.now().toISOString() };
  }

  #change(health: SipTrunkHealth): void {
    this.#health = health;
    this.#options.onChange(this.seen);
  }

  /** Resolves when the trunk is unregistered or cannot be. Idempotent. */
  async close(): Promise<void> {
    this.#pinger?.close();
    await this.#registration?.close();
  }
}

/** Key of the trunk settings that the monitor depends on. */
function keyOf(trunk: SipTrunkRow): string {
  const { proxyAddress, transport, username, encryptedPassword, isRegistrationRequired } = trunk;
  return JSON.stringify([proxyAddress, transport, username, encryptedPassword, isRegistrationRequired]);
}
