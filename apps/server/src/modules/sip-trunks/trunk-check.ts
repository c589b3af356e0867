import type { SipTrunkCheck, SipTrunkCheckStep } from "@parley/contract";
import {
  type ConnectionProbe,
  type Hop,
  locateServer,
  type NextHop,
  probeConnection,
  type TlsClientOptions,
  type UserAgent,
} from "@parley/sip";
import type { Clock } from "../../platform/clock.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import { accountUriOf, nextHopOf, type TrunkSettings, uriHostOf } from "./sip-trunks.rules.ts";
import type { SipCredentials } from "./sip-trunks.service.ts";
import {
  failed,
  type Finding,
  judgeConnection,
  judgeDns,
  judgeOptions,
  judgeRegistration,
  judgeTls,
  nameOf,
  skipped,
  summarize,
} from "./trunk-check.rules.ts";

/** SIP endpoint of this node. */
export interface SipEndpoint {
  agent: UserAgent;
  tls: TlsClientOptions;
}

export interface CheckOptions {
  clock: Clock;
  /** Whether connections to private and loopback addresses are tried. If not, customers cannot scan the operator's network. */
  isPrivateAllowed: boolean;
}

export interface CheckedTrunk {
  trunk: TrunkSettings;
  credentials: SipCredentials | undefined;
}

type StepName = SipTrunkCheckStep["step"];

const TOTAL_MS = 10_000;
const DNS_MS = 2_500;
/** Timeout of each connection attempt in milliseconds: first TCP, then TLS. */
const CONNECT_MS = 1_500;
/** Maximum number of a server's hosts that are tried until one accepts connections. */
const MAX_HOSTS = 2;
const OPTIONS_MS = 3_000;
const ANYBODY = "parley";

/** Follows a call's path to a trunk step by step and reports how far it gets. Takes at most about 10 s. */
export async function checkTrunk(
  end: SipEndpoint,
  checked: CheckedTrunk,
  options: CheckOptions,
): Promise<SipTrunkCheck> {
  forbidInTransaction("a trunk's server");
  return await new TrunkCheck(end, checked, options).run();
}

class TrunkCheck {
  readonly #end: SipEndpoint;
  readonly #checked: CheckedTrunk;
  readonly #steps: SipTrunkCheckStep[] = [];
  readonly #isPrivateAllowed: boolean;
  readonly #startedAt: Date;
  readonly #startedAtMs = performance.now();

  constructor(end: SipEndpoint, checked: CheckedTrunk, { clock, isPrivateAllowed }: CheckOptions) {
    this.#end = end;
    this.#checked = checked;
    this.#isPrivateAllowed = isPrivateAllowed;
    this.#startedAt = clock.now();
  }

  async run(): Promise<SipTrunkCheck> {
    const checkedAt = this.#startedAt.toISOString();
    const server = nextHopOf(this.#checked.trunk);
    if (server === undefined) {
      this.#note(
        "dns",
        0,
        failed("not_configured", "The trunk has no proxyAddress, so outbound calls are not possible."),
      );
    } else if (await this.#canConnect(server)) {
      await this.#ask(server);
    }
    const steps = this.#steps;
    return { ...summarize(steps), checkedAt, durationMs: this.#elapsedMs, steps };
  }

  /** Whether the server accepts a connection for SIP. */
  async #canConnect(server: NextHop): Promise<boolean> {
    const { durationMs, value: hops } = await timed(locate(server));
    const finding = judgeDns(server.address, hops, this.#isPrivateAllowed);
    if (!this.#note("dns", durationMs, finding)) return false;
    const usable = hops.filter((hop) => this.#end.agent.canReach(hop)).slice(0, MAX_HOSTS);
    const [first] = usable;
    if (first === undefined) {
      const text = `This node cannot reach ${hops.map(nameOf).join(", ")}: it has no IP address of that family.`;
      return this.#note("connection", 0, failed("transport_not_available", text));
    }
    if (first.protocol !== "UDP") return await this.#connect(first, usable);
    this.#note("connection", 0, skipped("UDP is connectionless."));
    return this.#note("tls", 0, skipped("UDP does not use TLS."));
  }

  async #connect(first: Hop, hops: readonly Hop[]): Promise<boolean> {
    let hop = first;
    let probe: ConnectionProbe | undefined;
    for (hop of hops) {
      probe = await probeConnection(hop, { timeoutMs: CONNECT_MS, tls: this.#end.tls });
      if (probe.failure === undefined) break;
    }
    if (probe === undefined) return false;
    if (!this.#note("connection", probe.connectMs, judgeConnection(hop, probe))) return false;
    if (hop.protocol === "TLS") return this.#note("tls", probe.tlsMs ?? 0, judgeTls(hop, probe));
    return this.#note("tls", 0, skipped("The trunk's transport does not use TLS."));
  }

  async #ask(server: NextHop): Promise<void> {
    const { trunk, credentials } = this.#checked;
    const { agent } = this.#end;
    const name = uriHostOf(server);
    const from = accountUriOf(server, trunk.username ?? ANYBODY);
    const options = await timed(
      inTime(agent.options({ to: `sip:${name}`, from, destination: server }), OPTIONS_MS),
    );
    // Some servers do not answer OPTIONS but accept registrations.
    this.#note("options", options.durationMs, judgeOptions(name, options.value));
    if (!trunk.isRegistrationRequired || credentials === undefined) {
      this.#note("registration", 0, skipped("The trunk does not register."));
      return;
    }
    const address = accountUriOf(server, credentials.username);
    const query = agent.queryRegistration({ address, server, credentials });
    const answer = await timed(inTime(query, TOTAL_MS - this.#elapsedMs));
    const finding = judgeRegistration(name, credentials.username, answer.value);
    this.#note("registration", answer.durationMs, finding);
  }

  /** Records the step. Returns `false` if it failed. */
  #note(step: StepName, durationMs: number, finding: Finding): boolean {
    const problem = finding.result === "failed" ? finding.problem : null;
    const { result, message } = finding;
    this.#steps.push({ step, result, problem, message, durationMs: Math.round(durationMs) });
    return result !== "failed";
  }

  get #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }
}

async function locate(server: NextHop): Promise<readonly Hop[]> {
  const hops = await inTime(
    locateServer(server).catch((): [] => []),
    DNS_MS,
  );
  return hops === "late" ? [] : hops;
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; durationMs: number }> {
  const startedAtMs = performance.now();
  const value = await work;
  return { value, durationMs: performance.now() - startedAtMs };
}

async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | "late"> {
  const { promise, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
