import { isIPv6 } from "node:net";
import type { DropListener, Hop, Transport } from "./transport.ts";

/** The transports of a user agent: one for each protocol and address family that it speaks. */
export class TransportSet {
  readonly #transports: readonly Transport[];

  constructor(transports: readonly Transport[]) {
    this.#transports = transports;
  }

  /** The transport that reaches this hop; `undefined` where its protocol or its family is not spoken here. */
  find({ protocol, address }: Pick<Hop, "protocol" | "address">): Transport | undefined {
    const isWanted = isIPv6(address);
    return this.#transports.find(
      (each) => each.protocol === protocol && isIPv6(each.localAddress.address) === isWanted,
    );
  }

  /** The port by which the peer at this hop reaches us; `undefined` while nothing is open by which it could. */
  localPort(hop: Hop): number | undefined {
    const transport = this.find(hop);
    const listening = transport?.localAddress.port;
    return listening === 0 ? transport?.connectionPort?.(hop) : listening;
  }

  /** See {@link Transport.open}. */
  open(hop: Hop): Promise<boolean> | undefined {
    return this.find(hop)?.open?.(hop);
  }

  /** See {@link Transport.watch}. */
  watch(hop: Hop, onLost: () => void): () => void {
    return this.find(hop)?.watch?.(hop, onLost) ?? (() => undefined);
  }

  start(receive: (data: Buffer, source: Hop) => void, onDropped: DropListener): void {
    for (const transport of this.#transports) transport.start(receive, onDropped);
  }

  /** Never throws; what cannot be sent is reported to `onError`. */
  send(data: Buffer, hop: Hop, onError: (error: Error) => void): void {
    const transport = this.find(hop);
    if (transport === undefined) onError(new Error(`no transport for ${hop.protocol} to ${hop.address}`));
    else transport.send(data, hop, onError);
  }

  /** A request to this hop got no answer for this long. */
  suspect(hop: Hop, silentForMs: number): void {
    this.find(hop)?.suspect?.(hop, silentForMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((each) => each.close()));
  }
}
