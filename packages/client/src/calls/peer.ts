import { JoinError } from "./join-error.ts";
import type { IceServer } from "./link-header.ts";
import { applySdpFragment, readFragmentSession, writeSdpFragment } from "./sdp-fragment.ts";
import { Trickle } from "./trickle.ts";
import type { WhipSession } from "./whip-session.ts";

/** Label of the data channel for call events. */
const CHANNEL_LABEL = "parley";

export interface PeerListener {
  onMessage: (data: unknown) => void;
  onStream: (stream: MediaStream) => void;
  /** An established connection was lost. */
  onLost: () => void;
}

/** One WebRTC connection of a call: the microphone's audio out, the agent's audio in, and the event channel. */
export class Peer {
  readonly #connection: RTCPeerConnection;
  readonly #sender: RTCRtpSender;
  readonly #channel: RTCDataChannel;
  /** Candidates of the current generation. */
  #trickle = new Trickle();
  /** The server's answer, updated by ICE restarts. */
  #answer = "";
  readonly #abort = new AbortController();

  constructor(iceServers: readonly IceServer[], track: MediaStreamTrack, listener: PeerListener) {
    this.#connection = new RTCPeerConnection({ iceServers: [...iceServers], bundlePolicy: "max-bundle" });
    const { sender } = this.#connection.addTransceiver(track, { direction: "sendrecv" });
    this.#sender = sender;
    const channel = this.#connection.createDataChannel(CHANNEL_LABEL);
    this.#channel = channel;
    const { signal } = this.#abort;
    const options = { signal };
    channel.addEventListener("message", ({ data }) => listener.onMessage(data), options);
    this.#connection.addEventListener(
      "track",
      ({ track: received }) => listener.onStream(new MediaStream([received])),
      options,
    );
    this.#connection.addEventListener(
      "icecandidate",
      ({ candidate }) => {
        // An empty candidate ends a generation; null ends all of them.
        if (candidate === null || candidate.candidate !== "") this.#trickle.add(candidate?.candidate ?? null);
      },
      options,
    );
    const watch = (): void => {
      if (["disconnected", "failed"].includes(this.#connection.connectionState)) listener.onLost();
    };
    void this.#whenConnected(signal).then(
      () => {
        this.#connection.addEventListener("connectionstatechange", watch, options);
        channel.addEventListener("close", () => listener.onLost(), options);
      },
      () => {},
    );
  }

  get isConnected(): boolean {
    return this.#connection.connectionState === "connected" && this.canRestartIce;
  }

  /** True if the server still has this connection, as far as the client can tell. */
  get canRestartIce(): boolean {
    return this.#channel.readyState === "open";
  }

  /** Sends the offer, applies the answer, and resolves when audio can flow. */
  async connect(session: WhipSession, signal: AbortSignal): Promise<void> {
    const isOver = AbortSignal.any([signal, this.#abort.signal]);
    await this.#connection.setLocalDescription();
    const offer = this.#connection.localDescription?.sdp ?? "";
    const answer = await session.exchange(offer, isOver);
    isOver.throwIfAborted();
    await this.#take(answer, offer, session, isOver);
    await this.#whenConnected(isOver);
  }

  /**
   * Finds a new network path for the connection. Nothing else is renegotiated, and the old path is used until the
   * new one works. Resolves when audio can flow. After a rejection, the connection is unusable unless it still
   * `isConnected`.
   */
  async restartIce(session: WhipSession, signal: AbortSignal): Promise<void> {
    const isOver = AbortSignal.any([signal, this.#abort.signal]);
    this.#trickle.stop();
    this.#trickle = new Trickle();
    this.#connection.restartIce();
    await this.#connection.setLocalDescription();
    const offer = this.#connection.localDescription?.sdp ?? "";
    const fragment = await session.restartIce(
      writeSdpFragment(readFragmentSession(offer), [], false),
      isOver,
    );
    isOver.throwIfAborted();
    await this.#take(applySdpFragment(this.#answer, fragment), offer, session, isOver);
    // It may have failed already.
    await this.#whenConnected(isOver, { isFailureFinal: false });
  }

  async replaceTrack(track: MediaStreamTrack): Promise<void> {
    await this.#sender.replaceTrack(track);
  }

  /** Sends a message to the call; returns false without a connection. */
  send(message: string): boolean {
    if (this.#channel.readyState !== "open") return false;
    this.#channel.send(message);
    return true;
  }

  /** Idempotent. */
  close(): void {
    this.#abort.abort();
    this.#trickle.stop();
    this.#connection.close();
  }

  async #take(answer: string, offer: string, session: WhipSession, isOver: AbortSignal): Promise<void> {
    await this.#connection.setRemoteDescription({ type: "answer", sdp: answer });
    this.#answer = answer;
    const fragmentSession = readFragmentSession(offer);
    this.#trickle.start(async (candidates, isComplete) => {
      await session.trickle(writeSdpFragment(fragmentSession, candidates, isComplete), isOver);
    });
  }

  async #whenConnected(signal: AbortSignal, { isFailureFinal } = { isFailureFinal: true }): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const done = new AbortController();
      const settle = (end: () => void): void => {
        done.abort();
        end();
      };
      const check = (): void => {
        const { connectionState } = this.#connection;
        if (connectionState === "connected") settle(resolve);
        if (connectionState === "failed" && isFailureFinal)
          settle(() => reject(new JoinError("connection_failed")));
      };
      this.#connection.addEventListener("connectionstatechange", check, { signal: done.signal });
      signal.addEventListener(
        "abort",
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the signal's reason is passed on unchanged
        () => settle(() => reject(signal.reason)),
        { signal: done.signal },
      );
      check();
    });
  }
}
