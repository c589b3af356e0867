import { type DataChannel, PeerConnection, type Track } from "node-datachannel";
import { LIVE_CHANNEL_LABEL } from "@parley/contract/live-channel";
import { isRtcp, parseRtp, type PortRange, type RtpPacket } from "@parley/rtp";
import type { CallScope } from "../../platform/call-scope.ts";
import type { IceCredentials } from "./ice/ice-agent.ts";
import { IceRelay } from "./ice/ice-relay.ts";
import type { LibraryAgent } from "./ice/library-path.ts";
import { readCandidate, type SdpCandidate, writeRestartFragment } from "./web-sdp-fragment.ts";
import { type BrowserOffer, completeAnswer, iceCredentialsOf } from "./web-sdp.ts";

/** Ours gather at once: there are host candidates only. */
const ANSWER_DEADLINE_MS = 3_000;
/** Until what was said last on a connection has left. */
const FAREWELL_MS = 500;
/** A browser that does not read its events is not to fill our memory. */
const MOST_BUFFERED_BYTES = 1024 * 1024;

export interface WebPeerOptions {
  /** Of this process. One port: all connections share it. */
  ports: PortRange;
  publicAddress: string | undefined;
  /** Our stream's, as the answer names it. */
  ssrc: number;
  cname: string;
  /** Gets what handling the connection's events throws: the library ends the process for it. */
  scope: CallScope;
  onPacket: (packet: RtpPacket, arrivalMs: number) => void;
  onRtcp: (datagram: Uint8Array, arrivalMs: number) => void;
  /** Audio can flow. */
  onConnected: () => void;
  /** The browser has closed the connection, or ICE has lost it. */
  onDisconnected: () => void;
  /** The data channel takes messages. */
  onChannel: () => void;
}

/**
 * One WebRTC connection with a browser, which has offered it. What was heard of the browser is not known here: see
 * `WebMedia`.
 */
export class WebPeer {
  readonly #options: WebPeerOptions;
  readonly #connection: PeerConnection;
  /** Referenced here: the library drops a track that nobody holds. */
  #track: Track | undefined;
  #channel: DataChannel | undefined;
  /** As the browser was given it. */
  #answer: string | undefined;
  /** What the library's own ICE is spoken to with; undefined before the answer. */
  #library: LibraryAgent | undefined;
  /** From the first ICE restart on. */
  #relay: Promise<IceRelay> | undefined;
  /** The browser's name in ICE, by which its fragments are known. */
  #remoteUfrag: string | undefined;
  #isClosed = false;

  constructor(options: WebPeerOptions) {
    const { ports, scope } = options;
    this.#options = options;
    this.#connection = new PeerConnection("browser", {
      // Its own default would ask a public server.
      iceServers: [],
      disableAutoNegotiation: true,
      portRangeBegin: ports.first,
      portRangeEnd: ports.last,
      enableIceUdpMux: ports.first === ports.last,
    });
    this.#connection.onStateChange(scope.guard((state) => this.#follow(state)));
    this.#connection.onTrack(scope.guard((track) => this.#take(track)));
    this.#connection.onDataChannel(scope.guard((channel) => this.#listen(channel)));
  }

  /** @throws Error where the offer cannot be answered. */
  async answer(offer: BrowserOffer): Promise<string> {
    const { promise: gathered, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => resolve(false), ANSWER_DEADLINE_MS);
    this.#connection.onGatheringStateChange((state) => {
      if (state === "complete") resolve(true);
    });
    try {
      this.#connection.setRemoteDescription(offer.sdp, "offer");
      this.#connection.setLocalDescription("answer");
      const isGathered = await gathered;
      const description = this.#isClosed ? null : this.#connection.localDescription();
      if (!isGathered || description === null) throw new Error("no local ICE candidates were found");
      const { ssrc, cname, publicAddress } = this.#options;
      const answer = completeAnswer(description.sdp, { ssrc, cname, publicAddress });
      this.#answer = answer;
      this.#library = libraryAgentOf(offer.sdp, answer);
      this.#remoteUfrag = iceCredentialsOf(offer.sdp)?.ufrag;
      return answer;
    } finally {
      clearTimeout(deadline);
    }
  }

  get remoteUfrag(): string | undefined {
    return this.#remoteUfrag;
  }

  /** Of the browser, under its credentials as they now are. Passes over what is none. */
  async addCandidates(candidates: readonly SdpCandidate[]): Promise<void> {
    const ufrag = this.#remoteUfrag;
    const relay = await this.#relay;
    if (this.#isClosed || ufrag === undefined) return;
    for (const { candidate, mid } of candidates) {
      if (relay === undefined) this.#addToLibrary(candidate, mid);
      else {
        const address = readCandidate(candidate);
        if (address !== undefined) relay.addCandidate(ufrag, address);
      }
    }
  }

  /**
   * Goes on with the same DTLS and SRTP under other credentials of ICE. Gives our side of them, as a fragment of SDP.
   *
   * @throws {Error} where that cannot be; its message is for the browser's developer.
   */
  async restartIce(remote: IceCredentials, candidates: readonly SdpCandidate[]): Promise<string> {
    const [answer, library, { ports }] = [this.#answer, this.#library, this.#options];
    if (this.#isClosed || answer === undefined || library === undefined)
      throw new Error("ICE cannot be restarted: there is no connection.");
    // The library holds it, and gives nobody what comes under other credentials.
    if (ports.first === ports.last)
      throw new Error("ICE cannot be restarted: the connections share one port.");
    const relay = await this.#openRelay(library);
    const local = relay.restart(remote);
    this.#remoteUfrag = remote.ufrag;
    await this.addCandidates(candidates);
    return writeRestartFragment(answer, local, relay.port);
  }

  /** RTP or RTCP; false where it is lost, as while there is no connection. */
  send(datagram: Uint8Array): boolean {
    const track = this.#track;
    if (this.#isClosed || track === undefined) return false;
    try {
      if (!track.isOpen()) return false;
      return track.sendMessageBinary(Buffer.from(datagram.buffer, datagram.byteOffset, datagram.length));
    } catch {
      // It was closed in this moment.
      return false;
    }
  }

  /** On the data channel; lost where the browser has none, or does not read it. */
  tell(message: string): void {
    const channel = this.#channel;
    if (this.#isClosed || channel === undefined) return;
    try {
      if (channel.isOpen() && channel.bufferedAmount() <= MOST_BUFFERED_BYTES) channel.sendMessage(message);
    } catch {
      // It was closed in this moment.
    }
  }

  /** Lets what was said last leave first. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    setTimeout(() => {
      this.#connection.close();
      void this.#relay?.then(
        (relay) => relay.close(),
        () => {},
      );
    }, FAREWELL_MS).unref();
  }

  #addToLibrary(candidate: string, mid: string): void {
    try {
      this.#connection.addRemoteCandidate(candidate, mid);
    } catch {
      // The browser has others, or is not reached and told so by ICE.
    }
  }

  /** One for all restarts. */
  async #openRelay(library: LibraryAgent): Promise<IceRelay> {
    const opening =
      this.#relay ??
      this.#options.scope.run(async () => await IceRelay.open({ ports: this.#options.ports, library }));
    this.#relay = opening;
    try {
      return await opening;
    } catch (error) {
      if (this.#relay === opening) this.#relay = undefined;
      throw new Error("ICE cannot be restarted: no port is free.", { cause: error });
    }
  }

  #follow(state: string): void {
    if (this.#isClosed) return;
    if (state === "connected") this.#options.onConnected();
    if (state === "disconnected" || state === "failed" || state === "closed") this.#options.onDisconnected();
  }

  #take(track: Track): void {
    if (track.type() !== "audio") return;
    this.#track = track;
    track.onMessage(this.#options.scope.guard((datagram) => this.#receive(datagram)));
  }

  #receive(datagram: Buffer): void {
    if (this.#isClosed) return;
    const arrivalMs = performance.now();
    if (isRtcp(datagram)) return this.#options.onRtcp(datagram, arrivalMs);
    const packet = parseRtp(datagram);
    if (packet !== undefined) this.#options.onPacket(packet, arrivalMs);
  }

  #listen(channel: DataChannel): void {
    if (channel.getLabel() !== LIVE_CHANNEL_LABEL) return;
    this.#channel = channel;
    const open = this.#options.scope.guard(() => {
      if (!this.#isClosed) this.#options.onChannel();
    });
    if (channel.isOpen()) open();
    else channel.onOpen(open);
  }
}

/** Undefined where ICE is not as a restart needs it. */
function libraryAgentOf(offer: string, answer: string): LibraryAgent | undefined {
  const [local, remote] = [iceCredentialsOf(answer), iceCredentialsOf(offer)];
  const port = Number(/^a=candidate:(?:\S+ ){5}(\d+) /m.exec(answer)?.[1]);
  // A peer that is lite does not choose paths (RFC 8445 §2.5): the library does.
  const isLite = /^a=ice-lite\r?$/m.test(offer);
  if (local === undefined || remote === undefined || Number.isNaN(port) || isLite) return undefined;
  return { port, local, remote };
}
