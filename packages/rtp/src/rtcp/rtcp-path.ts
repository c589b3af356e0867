import type { TransportAddress } from "../source-latch.ts";
import { usableAddress } from "../transport-address.ts";

/** Decides where RTCP is sent and from where it is accepted, also behind NAT. */
export class RtcpPath {
  #signaled: TransportAddress | undefined;
  /** Source of the last RTCP. */
  #source: TransportAddress | undefined;
  #isMultiplexed = false;

  /** True if RTCP uses RTP's port in both directions (RFC 5761). */
  get isMultiplexed(): boolean {
    return this.#isMultiplexed;
  }

  /** Applies the addresses of an SDP. */
  signal(remote: TransportAddress, isMultiplexed: boolean): void {
    this.#signaled = usableAddress(remote);
    this.#source = undefined;
    this.#isMultiplexed = isMultiplexed;
  }

  /**
   * Whether RTCP from this address is the peer's.
   *
   * @param rtp The destination of RTP.
   */
  accepts(address: string, rtp: TransportAddress | undefined): boolean {
    return address === rtp?.address || address === this.#signaled?.address;
  }

  noteSource({ address, port }: TransportAddress): void {
    this.#source = { address, port };
  }

  /**
   * RTCP goes to the source of received RTCP. Before that, it goes to the address of the SDP. For a peer behind a
   * NAT, whose packets come from another address, it goes to the port after its RTP source, which is often right.
   */
  destination(rtp: TransportAddress | undefined): TransportAddress | undefined {
    if (this.#isMultiplexed || rtp === undefined) return rtp;
    if (this.#source !== undefined) return this.#source;
    const isBehindNat = this.#signaled === undefined || this.#signaled.address !== rtp.address;
    return isBehindNat ? usableAddress({ address: rtp.address, port: rtp.port + 1 }) : this.#signaled;
  }
}
