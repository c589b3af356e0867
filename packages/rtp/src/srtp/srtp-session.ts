import { SrtpReceiver, SrtpSender } from "./srtp-stream.ts";
import type { SrtpSuite } from "./suites.ts";

/** Keys of both directions, as negotiated by an SDP offer and answer (RFC 4568). */
export interface SrtpKeys {
  suite: SrtpSuite;
  /** Master key followed by master salt. */
  localMasterKey: Uint8Array;
  remoteMasterKey: Uint8Array;
  /** Master key identifier in each packet of the peer (RFC 3711 §3.1). Default: none. */
  remoteMki?: Uint8Array;
}

/** SRTP of both directions. A direction whose key is unchanged keeps its rollover counter and replay window. */
export class SrtpSession {
  #keys: SrtpKeys;
  #sender: SrtpSender;
  #receiver: SrtpReceiver;

  constructor(keys: SrtpKeys) {
    this.#keys = keys;
    this.#sender = new SrtpSender(keys.suite, keys.localMasterKey);
    this.#receiver = new SrtpReceiver(keys.suite, keys.remoteMasterKey, keys.remoteMki);
  }

  /** Applies the keys of a later offer and answer. */
  rekey(keys: SrtpKeys): this {
    const { suite, localMasterKey, remoteMasterKey, remoteMki } = keys;
    const isSuiteSame = this.#keys.suite === suite;
    if (!isSuiteSame || Buffer.compare(this.#keys.localMasterKey, localMasterKey) !== 0)
      this.#sender = new SrtpSender(suite, localMasterKey);
    if (!isSuiteSame || Buffer.compare(this.#keys.remoteMasterKey, remoteMasterKey) !== 0)
      this.#receiver = new SrtpReceiver(suite, remoteMasterKey, remoteMki);
    else this.#receiver.mki = remoteMki;
    this.#keys = keys;
    return this;
  }

  protectRtp(packet: Uint8Array): Uint8Array {
    return this.#sender.protectRtp(packet);
  }

  protectRtcp(packet: Uint8Array): Uint8Array {
    return this.#sender.protectRtcp(packet);
  }

  unprotectRtp(datagram: Uint8Array): Uint8Array | undefined {
    return this.#receiver.unprotectRtp(datagram);
  }

  unprotectRtcp(datagram: Uint8Array): Uint8Array | undefined {
    return this.#receiver.unprotectRtcp(datagram);
  }
}
