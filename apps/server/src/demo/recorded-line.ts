import { decodePcmu, encodePcmu, LossConcealer } from "@parley/audio";
import { JitterBuffer, MediaWheel, PortPool, RtpSession } from "@parley/rtp";
import type { AudioSettings } from "@parley/sip";

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const PCMU = { name: "PCMU", clockRateHz: 8000, payloadType: 0 };
/** Outside the platform's own range. */
const PORTS = { first: 41_000, last: 41_099 };
/** Mean square of a frame with speech: about −45 dBFS. */
const SPEECH_POWER = 180 ** 2;
/** Silence after which the agent has finished, about as long as a person would wait. */
const AGENT_PAUSE_MS = 900;
/** Silence after which the caller speaks without an answer. */
const PATIENCE_MS = 8_000;
/** Time after the last line for the agent to hang up. */
const LAST_PATIENCE_MS = 12_000;

/** Audio that a recorded side of a call heard between two of its lines. */
export interface HeardAnswer {
  /** 8 kHz, without the silence before it. */
  pcm: Int16Array;
  /**
   * Time from the end of its line to the first sound of the answer; `undefined` for the greeting, or without an answer.
   */
  afterMs: number | undefined;
}

/** One recorded side of a call on loopback: its audio, its lines, and the answers that it hears. */
export class RecordedLine {
  readonly #words: SpokenLines;
  readonly #session: RtpSession;
  readonly #wheel: MediaWheel;

  private constructor(words: SpokenLines, session: RtpSession) {
    this.#words = words;
    this.#session = session;
    this.#wheel = new MediaWheel({ onError: (error) => words.fail(error) });
  }

  /** @param lines Its lines in order: 8 kHz PCM. */
  static async open(lines: readonly Int16Array[]): Promise<RecordedLine> {
    const words = new SpokenLines(lines);
    const session = await RtpSession.open({
      address: "127.0.0.1",
      ports: new PortPool(PORTS),
      payloadTypes: [PCMU.payloadType],
      onPacket: (packet, arrivalMs) => words.jitter.push(packet, arrivalMs),
    });
    return new RecordedLine(words, session);
  }

  /** Audio settings for the session description. */
  get audio(): AudioSettings {
    return { address: "127.0.0.1", port: this.#session.port, codecs: [PCMU] };
  }

  /** Resolves after the last line and its answer; rejects if its audio fails. */
  get finished(): Promise<void> {
    return this.#words.finished;
  }

  /** Starts to listen, and to say each line once the other side has finished its own. */
  talk(remote: Parameters<RtpSession["negotiate"]>[0]): void {
    this.#session.negotiate(remote, [PCMU.payloadType]);
    let timestamp = 0;
    this.#wheel.add((dueMs) => {
      this.#session.send(this.#words.nextPayload(dueMs), PCMU.payloadType, timestamp, false);
      timestamp += FRAME_SAMPLES;
    });
  }

  /** Received audio: the greeting, then an answer per line. */
  answers(): HeardAnswer[] {
    return this.#words.answers();
  }

  /** Idempotent. */
  close(): void {
    this.#wheel.close();
    this.#session.close();
  }
}

/** Says lines and records answers, frame by frame. */
class SpokenLines {
  readonly jitter = new JitterBuffer({ clockRateHz: 8000, samplesIn: (payload) => payload.length });
  readonly finished: Promise<void>;
  readonly #lines: readonly Int16Array[];
  readonly #concealer = new LossConcealer(8000);
  readonly #silence = new Uint8Array(FRAME_SAMPLES).fill(0xff);
  readonly #heard: { frames: Int16Array[]; afterMs: number | undefined }[] = [
    { frames: [], afterMs: undefined },
  ];
  #finish: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #nextLine = 0;
  /** Current line and position in it. */
  #saying: { pcm: Int16Array; position: number } | undefined;
  #hasAgentSpoken = false;
  #silentMs = 0;
  #waitedMs = 0;

  constructor(lines: readonly Int16Array[]) {
    this.#lines = lines;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  }

  fail(error: unknown): void {
    this.#fail(error);
  }

  answers(): HeardAnswer[] {
    return this.#heard.map(({ frames, afterMs }) => ({ pcm: joinFrames(frames), afterMs }));
  }

  /** Receives 20 ms and returns the 20 ms to be sent meanwhile. */
  nextPayload(nowMs: number): Uint8Array {
    this.#listen(nowMs);
    if (this.#saying === undefined) this.#takeTheWord();
    const saying = this.#saying;
    if (saying === undefined) return this.#silence;
    const frame = saying.pcm.subarray(saying.position, saying.position + FRAME_SAMPLES);
    saying.position += FRAME_SAMPLES;
    if (saying.position >= saying.pcm.length) this.#endLine();
    return frame.length === FRAME_SAMPLES ? encodePcmu(frame) : this.#silence;
  }

  #listen(nowMs: number): void {
    const next = this.jitter.pull(nowMs);
    const pcm = next.kind === "frame" ? decodePcmu(next.payload) : undefined;
    if (pcm !== undefined) this.#concealer.good(pcm);
    const frame =
      pcm ?? (next.kind === "lost" ? this.#concealer.conceal(next.samples) : new Int16Array(FRAME_SAMPLES));
    const isSpeech = powerOf(frame) > SPEECH_POWER;
    this.#waitedMs += FRAME_MS;
    this.#silentMs = isSpeech ? 0 : this.#silentMs + FRAME_MS;
    const answer = this.#heard.at(-1);
    if (isSpeech && !this.#hasAgentSpoken && this.#saying === undefined) {
      this.#hasAgentSpoken = true;
      if (answer !== undefined && this.#nextLine > 0) answer.afterMs = this.#waitedMs;
    }
    if (this.#hasAgentSpoken) answer?.frames.push(frame);
  }

  #takeTheWord(): void {
    const isLast = this.#nextLine >= this.#lines.length;
    const isMyTurn = this.#hasAgentSpoken && this.#silentMs >= AGENT_PAUSE_MS;
    if (isLast) {
      if (this.#waitedMs >= LAST_PATIENCE_MS) this.#finish();
      return;
    }
    if (!isMyTurn && this.#waitedMs < PATIENCE_MS) return;
    const pcm = this.#lines[this.#nextLine];
    if (pcm !== undefined) this.#saying = { pcm, position: 0 };
  }

  #endLine(): void {
    this.#saying = undefined;
    this.#nextLine += 1;
    this.#waitedMs = 0;
    this.#hasAgentSpoken = false;
    this.#heard.push({ frames: [], afterMs: undefined });
  }
}

function powerOf(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return sum / Math.max(1, frame.length);
}

function joinFrames(frames: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    joined.set(frame, at);
    at += frame.length;
  }
  return joined;
}
