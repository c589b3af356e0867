import { seededRandom } from "@parley/testing";
import type { Clock } from "../clock.ts";
import type { Hop, SocketAddress, Transport } from "../transport/transport.ts";

export interface NetworkConditions {
  /** Probabilities from 0 to 1 for each datagram. */
  loss: number;
  duplication: number;
  /** Each datagram takes a random time up to this limit, so that one may overtake another. */
  maxDelayMs: number;
}

export interface Datagram {
  from: Hop;
  to: Hop;
  data: Buffer;
}

/** An in-memory network with seeded losses, duplicates and delays. */
export class MemoryNetwork {
  conditions: NetworkConditions = { loss: 0, duplication: 0, maxDelayMs: 0 };
  /** Everything sent, lost or not, oldest first. */
  readonly sent: Datagram[] = [];
  /** False drops the datagram. */
  filter: (datagram: Datagram) => boolean = () => true;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #receivers = new Map<string, (data: Buffer, source: Hop) => void>();

  constructor(clock: Clock, seed = 1) {
    this.#clock = clock;
    this.#random = seededRandom(seed);
  }

  /**
   * A transport at this address, for a user agent or for the test itself. A reliable one reports an error if
   * there is no receiver at the destination, like a refused connection.
   */
  transport(localAddress: SocketAddress, isReliable = false): Transport {
    const protocol = isReliable ? "TCP" : "UDP";
    const from: Hop = { protocol, ...localAddress };
    const key = addressKey(from);
    return {
      protocol,
      isReliable,
      localAddress,
      start: (receive) => void this.#receivers.set(key, receive),
      send: (data, { address, port }, onError) => {
        const to: Hop = { protocol, address, port };
        if (isReliable && !this.#receivers.has(addressKey(to))) onError?.(new Error("connection refused"));
        else this.#carry({ from, to, data });
      },
      close: () => {
        this.#receivers.delete(key);
        return Promise.resolve();
      },
    };
  }

  #carry(datagram: Datagram): void {
    this.sent.push(datagram);
    if (!this.filter(datagram)) return;
    const { loss, duplication } = this.conditions;
    if (this.#random() < loss) return;
    this.#deliverLater(datagram);
    if (this.#random() < duplication) this.#deliverLater(datagram);
  }

  #deliverLater({ from, to, data }: Datagram): void {
    const delayMs = this.#random() * this.conditions.maxDelayMs;
    this.#clock.schedule(delayMs, () => this.#receivers.get(addressKey(to))?.(data, from));
  }
}

function addressKey({ protocol, address, port }: Hop): string {
  return `${protocol} ${address} ${port}`;
}
