import { isIPv6 } from "node:net";
import type { DropListener, Hop, Transport } from "./transport.ts";

/** The transports of a user agent: one per protocol and address family. */
export class TransportSet {
  readonly #transports: readonly Transport[];

  constructor(transports: readonly Transport[]) {
    this.#transports = transports;
  }

  /** The transport for this hop; `undefined` if its protocol or address family is unsupported. */
  find({ protocol, address }: Pick<Hop, "protocol" | "address">): Transport | undefined {
    const isWanted = isIPv6(address);
    return this.#transports.find(
      (each) => each.protocol === protocol && isIPv6(each.localAddress.address) === isWanted,
    );
  }

  /** The port at which the peer reaches us; `undefined` without a listener or open connection. */
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

  /** Sends a message. Never throws; reports failures to `onError`. */
  send(data: Buffer, hop: Hop, onError: (error: Error) => void): void {
    const transport = this.find(hop);
    if (transport === undefined) onError(new Error(`no transport for ${hop.protocol} to ${hop.address}`));
    else transport.send(data, hop, onError);
  }

  /** Reports that a request to this hop was not answered for this long. */
  suspect(hop: Hop, silentForMs: number): void {
    this.find(hop)?.suspect?.(hop, silentForMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((each) => each.close()));
  }
}
