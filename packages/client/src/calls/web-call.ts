import type { TranscriptItem, Turn } from "../generated/types.ts";
import { Emitter } from "./emitter.ts";
import { JoinError } from "./join-error.ts";
import type { IceServer } from "./link-header.ts";
import {
  type CallEnd,
  type LiveCall,
  type Speech,
  applyLiveEvent,
  newLiveCall,
  readLiveEvent,
} from "./live-call.ts";
import { openMicrophone } from "./microphone.ts";
import { Peer } from "./peer.ts";
import type { WhipSession } from "./whip-session.ts";

/** The server waits this long for a lost connection. */
const REJOIN_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 15_000;
const REJOIN_ATTEMPT_TIMEOUT_MS = 6_000;
const REJOIN_PAUSE_MS = 500;
/** If there is another network path, it is found within a second or two. */
const RESTART_TIMEOUT_MS = 3_000;
/** Limit for the server's last message about the end of the call. */
const FAREWELL_TIMEOUT_MS = 1_500;

export interface WebCallEvents {
  state: "connected" | "reconnecting" | "ended";
  agentState: LiveCall["agentState"];
  /** The agent starts to speak. */
  speech: Speech;
  /** A new transcript item. */
  item: TranscriptItem;
  /** Timing of the agent's last response. */
  turn: Turn;
  /** The last event of a call. */
  ended: CallEnd;
  /** A problem that does not end the call: `microphone_lost`. */
  error: JoinError;
}

/** A call joined by this page. Uses the microphone until the call has ended. */
export class WebCall {
  readonly #session: WhipSession;
  readonly #emitter = new Emitter<WebCallEvents>();
  readonly #audio = new Audio();
  readonly #over = new AbortController();
  #microphone: MediaStream;
  #agentStream: MediaStream | undefined;
  #peer: Peer | undefined;
  #state: WebCallEvents["state"] | "connecting" = "connecting";
  #live = newLiveCall;
  #end: CallEnd | undefined;
  #isMuted = false;
  #hangingUp: Promise<void> | undefined;

  /** Called by `joinCall`. */
  constructor(session: WhipSession, microphone: MediaStream, endsWithPage: boolean) {
    this.#session = session;
    this.#microphone = microphone;
    this.#watchMicrophone();
    // Otherwise the server would wait for a closed page.
    if (endsWithPage) addEventListener("pagehide", () => void this.hangUp(), { signal: this.#over.signal });
    // After a network change, do not wait for the old path to fail.
    addEventListener("online", () => this.#peer !== undefined && void this.#recover(this.#peer), {
      signal: this.#over.signal,
    });
  }

  get state(): WebCallEvents["state"] | "connecting" {
    return this.#state;
  }

  get agentState(): LiveCall["agentState"] {
    return this.#live.agentState;
  }

  /** Transcript in chronological order. */
  get transcript(): readonly TranscriptItem[] {
    return this.#live.transcript;
  }

  /** The agent's current speech, not in the transcript yet. */
  get speech(): Speech | undefined {
    return this.#live.speech;
  }

  get turns(): readonly Turn[] {
    return this.#live.turns;
  }

  /** How the call ended; `undefined` before. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  /** From 0 to 1. */
  get volume(): number {
    return this.#audio.volume;
  }

  /** The sent audio, for meters. */
  get microphoneStream(): MediaStream {
    return this.#microphone;
  }

  /** The agent's audio, for meters. */
  get agentStream(): MediaStream | undefined {
    return this.#agentStream;
  }

  /**
   * Adds a listener; returns a function that removes it. Earlier events are in `transcript`, `turns` and the
   * states.
   */
  on<Name extends keyof WebCallEvents>(
    name: Name,
    listener: (event: WebCallEvents[Name]) => void,
  ): () => void {
    return this.#emitter.on(name, listener);
  }

  /** Establishes the first connection. Called by `joinCall`. */
  async connect(signal: AbortSignal): Promise<void> {
    await this.#connect(CONNECT_TIMEOUT_MS, signal);
    this.#setState("connected");
  }

  /** Replaces the microphone by silence, or ends that. */
  setMuted(isMuted: boolean): void {
    this.#isMuted = isMuted;
    for (const track of this.#microphone.getTracks()) track.enabled = !isMuted;
  }

  /**
   * Presses a key of a telephone: `0`–`9`, `*`, `#`, `A`–`D`. Returns false if the connection is lost, and the key with it.
   *
   * @throws {RangeError} if there is no such key.
   */
  pressKey(key: string): boolean {
    if (!/^[0-9A-D*#]$/.test(key)) throw new RangeError(`no such key: ${key}`);
    return this.#peer?.send(JSON.stringify({ type: "key", key })) ?? false;
  }

  /** Sets the agent's volume, from 0 to 1. */
  setVolume(volume: number): void {
    this.#audio.volume = Math.min(1, Math.max(0, volume));
  }

  /**
   * Switches to another microphone.
   *
   * @throws {JoinError} if it cannot be opened; the call continues with the previous one.
   */
  async setMicrophone(deviceId?: string): Promise<void> {
    const microphone = await openMicrophone(deviceId);
    if (this.#state === "ended") return stop(microphone);
    const before = this.#microphone;
    this.#microphone = microphone;
    this.setMuted(this.#isMuted);
    this.#watchMicrophone();
    await this.#peer?.replaceTrack(trackOf(microphone));
    stop(before);
  }

  /** Ends the call. Idempotent. If the server is unreachable, it ends the call itself within 15 s. */
  async hangUp(): Promise<void> {
    if (this.#state === "ended") return;
    this.#hangingUp ??= this.#hangUpOnce();
    await this.#hangingUp;
  }

  async #hangUpOnce(): Promise<void> {
    stop(this.#microphone);
    this.#audio.muted = true;
    const ended = new Promise<void>((resolve) => this.on("ended", () => resolve()));
    const isOver = this.#session.end().then(
      () => ended,
      () => {},
    );
    await Promise.race([isOver, pause(FAREWELL_TIMEOUT_MS)]);
    this.#finish({ reason: "user_hangup", detail: null });
  }

  /** Releases all resources after a failed attempt to join. */
  abandon(): void {
    this.#finish({ reason: "connection_lost", detail: null });
    void this.#session.end().catch(() => {});
  }

  async #connect(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    const isOver = AbortSignal.any([signal, deadline, this.#over.signal]);
    try {
      // Fetched each time, because the credentials expire.
      await this.#replacePeer(await this.#session.iceServers(isOver), isOver);
    } catch (error) {
      signal.throwIfAborted();
      throw deadline.aborted ? new JoinError("connection_failed", { cause: error }) : error;
    }
  }

  async #replacePeer(iceServers: readonly IceServer[], isOver: AbortSignal): Promise<void> {
    const peer = new Peer(iceServers, trackOf(this.#microphone), {
      onMessage: (data) => this.#receive(data),
      onStream: (stream) => this.#play(stream),
      onLost: () => void this.#recover(peer),
    });
    try {
      await peer.connect(this.#session, isOver);
    } catch (error) {
      peer.close();
      throw error;
    }
    this.#peer?.close();
    this.#peer = peer;
    // The microphone may have changed in the meantime.
    await peer.replaceTrack(trackOf(this.#microphone));
  }

  /** Finds a new network path, or makes a new connection if there is none or the server rejects the restart. */
  async #recover(lost: Peer): Promise<void> {
    if (this.#state !== "connected" || this.#peer !== lost || this.#hangingUp !== undefined) return;
    this.#setState("reconnecting");
    const deadline = AbortSignal.timeout(REJOIN_TIMEOUT_MS);
    const { signal } = this.#over;
    let isRestarting = lost.canRestartIce;
    while (!deadline.aborted && !signal.aborted) {
      try {
        if (isRestarting) await this.#restartIce(lost, deadline);
        else await this.#connect(REJOIN_ATTEMPT_TIMEOUT_MS, deadline);
        return this.#setState("connected");
      } catch (error) {
        const code = error instanceof JoinError ? error.code : undefined;
        if (code === "call_over") break;
        // The connection recovered, or was not lost.
        if (lost.isConnected) return this.#setState("connected");
        if (isRestarting && code !== "server_unreachable") isRestarting = false;
        else await pause(REJOIN_PAUSE_MS);
      }
    }
    this.#finish({ reason: "connection_lost", detail: null });
  }

  async #restartIce(peer: Peer, signal: AbortSignal): Promise<void> {
    const attempt = AbortSignal.timeout(RESTART_TIMEOUT_MS);
    await peer.restartIce(this.#session, AbortSignal.any([signal, attempt, this.#over.signal]));
  }

  #receive(data: unknown): void {
    const event = readLiveEvent(data);
    if (event === undefined || this.#state === "ended") return;
    const before = this.#live;
    this.#live = applyLiveEvent(before, event);
    if (event.type === "ended") return this.#finish({ reason: event.endReason, detail: event.endDetail });
    if (this.#live === before) return;
    if (event.type === "state") this.#emitter.emit("agentState", event.state);
    if (event.type === "item") this.#emitter.emit("item", event.item);
    if (event.type === "turn") this.#emitter.emit("turn", event.turn);
    if (event.type === "itemStarted" && this.#live.speech !== undefined) {
      this.#emitter.emit("speech", this.#live.speech);
    }
  }

  #play(stream: MediaStream): void {
    this.#agentStream = stream;
    this.#audio.srcObject = stream;
    // Rejected only if the page has no microphone either; then there is no call.
    void this.#audio.play().catch(() => {});
  }

  #watchMicrophone(): void {
    const track = trackOf(this.#microphone);
    const onEnded = (): void => {
      if (track === this.#microphone.getAudioTracks()[0]) {
        this.#emitter.emit("error", new JoinError("microphone_lost"));
      }
    };
    track.addEventListener("ended", onEnded, { signal: this.#over.signal });
  }

  #setState(state: WebCallEvents["state"]): void {
    if (this.#state === "ended" || this.#state === state) return;
    this.#state = state;
    this.#emitter.emit("state", state);
  }

  #finish(end: CallEnd): void {
    if (this.#state === "ended") return;
    this.#end = end;
    this.#live = { ...this.#live, speech: undefined };
    this.#over.abort();
    this.#peer?.close();
    stop(this.#microphone);
    this.#audio.srcObject = null;
    this.#setState("ended");
    this.#emitter.emit("ended", end);
  }
}

function trackOf(stream: MediaStream): MediaStreamTrack {
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw new JoinError("microphone_missing");
  return track;
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

async function pause(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
