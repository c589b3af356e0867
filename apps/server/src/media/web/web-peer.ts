import { type DataChannel, PeerConnection, type Track } from "node-datachannel";
import { LIVE_CHANNEL_LABEL } from "@parley/contract/live-channel";
import { isRtcp, parseRtp, type PortRange, type RtpPacket } from "@parley/rtp";
import type { CallScope } from "../../platform/call-scope.ts";
import type { IceCredentials } from "./ice/ice-agent.ts";
import { IceRelay } from "./ice/ice-relay.ts";
import type { LibraryAgent } from "./ice/library-path.ts";
import { readCandidate, type SdpCandidate, writeRestartFragment } from "./web-sdp-fragment.ts";
import { type BrowserOffer, completeAnswer, iceCredentialsOf } from "./web-sdp.ts";

/** Only host candidates are gathered, which takes milliseconds. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Time for the last messages of a connection to leave before it closes. */
const CLOSE_DELAY_MS = 500;
/** Bound on the events that a browser has not read. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

export interface WebPeerOptions {
  /** Ports of this process. If it is one port, all connections share it. */
  ports: PortRange;
  publicAddress: string | undefined;
  /** SSRC of the agent's stream, named in the answer. */
  ssrc: number;
  cname: string;
  /** Catches exceptions from event handlers, which would otherwise end the process (node-datachannel). */
  scope: CallScope;
  onPacket: (packet: RtpPacket, arrivalMs: number) => void;
  onRtcp: (datagram: Uint8Array, arrivalMs: number) => void;
  /** Called when audio can flow. */
  onConnected: () => void;
  /** Called when the browser has closed the connection or ICE has lost it. */
  onDisconnected: () => void;
  /** Called when the data channel is open. */
  onChannel: () => void;
  /** Called with each message of the data channel. */
  onMessage: (message: unknown) => void;
}

/**
 * One WebRTC connection, offered by a browser. `WebMedia` decides whether the browser is absent.
 */
export class WebPeer {
  readonly #options: WebPeerOptions;
  readonly #connection: PeerConnection;
  /** Keeps the track alive: the library drops an unreferenced one. */
  #track: Track | undefined;
  #channel: DataChannel | undefined;
  /** The answer that was sent to the browser. */
  #answer: string | undefined;
  /** The library's ICE agent; `undefined` before the answer. */
  #library: LibraryAgent | undefined;
  /** Opened at the first ICE restart. */
  #relay: Promise<IceRelay> | undefined;
  /** The browser's current ICE username fragment, which identifies its SDP fragments. */
  #remoteUfrag: string | undefined;
  #isClosed = false;

  constructor(options: WebPeerOptions) {
    const { ports, scope } = options;
    this.#options = options;
    this.#connection = new PeerConnection("browser", {
      // The default is a public STUN server.
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

  /** @throws Error if the offer cannot be answered. */
  async answer(offer: BrowserOffer): Promise<string> {
    const { promise: gathered, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => resolve(false), ANSWER_TIMEOUT_MS);
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

  /** Adds the browser's candidates under its current credentials. Ignores malformed ones. */
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
   * Restarts ICE with new credentials; DTLS and SRTP continue. Returns our side as an SDP fragment.
   *
   * @throws {Error} if ICE cannot be restarted. The message is for the browser's developer.
   */
  async restartIce(remote: IceCredentials, candidates: readonly SdpCandidate[]): Promise<string> {
    const [answer, library, { ports }] = [this.#answer, this.#library, this.#options];
    if (this.#isClosed || answer === undefined || library === undefined)
      throw new Error("ICE cannot be restarted: there is no connection.");
    // The library owns the shared port and drops packets with unknown credentials.
    if (ports.first === ports.last)
      throw new Error("ICE cannot be restarted: the connections share one port.");
    const relay = await this.#openRelay(library);
    const local = relay.restart(remote);
    this.#remoteUfrag = remote.ufrag;
    await this.addCandidates(candidates);
    return writeRestartFragment(answer, local, relay.port);
  }

  /** Sends RTP or RTCP. Returns false if the packet is dropped, for example without a connection. */
  send(datagram: Uint8Array): boolean {
    const track = this.#track;
    if (this.#isClosed || track === undefined) return false;
    try {
      if (!track.isOpen()) return false;
      return track.sendMessageBinary(Buffer.from(datagram.buffer, datagram.byteOffset, datagram.length));
    } catch {
      // Closed in the meantime.
      return false;
    }
  }

  /** Sends on the data channel. Drops the message if there is no channel or the browser does not read it. */
  sendEvent(message: string): void {
    const channel = this.#channel;
    if (this.#isClosed || channel === undefined) return;
    try {
      if (channel.isOpen() && channel.bufferedAmount() <= MAX_BUFFERED_BYTES) channel.sendMessage(message);
    } catch {
      // Closed in the meantime.
    }
  }

  /** Closes after the last messages have left. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    setTimeout(() => {
      this.#connection.close();
      void this.#relay?.then(
        (relay) => relay.close(),
        () => {},
      );
    }, CLOSE_DELAY_MS).unref();
  }

  #addToLibrary(candidate: string, mid: string): void {
    try {
      this.#connection.addRemoteCandidate(candidate, mid);
    } catch {
      // Other candidates may work. If none does, ICE reports it to the browser.
    }
  }

  /** Opens the relay at the first restart; later restarts share it. */
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
    channel.onMessage(
      this.#options.scope.guard((message: unknown) => {
        if (!this.#isClosed) this.#options.onMessage(message);
      }),
    );
    if (channel.isOpen()) open();
    else channel.onOpen(open);
  }
}

/** `undefined` if the descriptions lack what an ICE restart needs. */
function libraryAgentOf(offer: string, answer: string): LibraryAgent | undefined {
  const [local, remote] = [iceCredentialsOf(answer), iceCredentialsOf(offer)];
  const port = Number(/^a=candidate:(?:\S+ ){5}(\d+) /m.exec(answer)?.[1]);
  // An ICE-lite peer does not nominate paths (RFC 8445 §2.5); the library does, so the relay cannot take part.
  const isLite = /^a=ice-lite\r?$/m.test(offer);
  if (local === undefined || remote === undefined || Number.isNaN(port) || isLite) return undefined;
  return { port, local, remote };
}
