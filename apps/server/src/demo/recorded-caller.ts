import { decodePcmu, encodePcmu, LossConcealer } from "@parley/audio";
import { JitterBuffer, MediaWheel, PortPool, RtpSession } from "@parley/rtp";
import { acceptAnswer, type AudioSettings, buildOffer, UserAgent } from "@parley/sip";

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const PCMU = { name: "PCMU", clockRateHz: 8000, payloadType: 0 };
/** Where the caller's RTP goes; apart from the platform's own range. */
const CALLER_PORTS = { first: 41_000, last: 41_099 };
/** Mean square of a frame in which somebody speaks: about −45 dBFS. */
const SPEECH_POWER = 180 ** 2;
/** The agent has finished when it was silent for so long: a person waits about as much. */
const AGENT_PAUSE_MS = 900;
/** Nothing heard for so long: the caller speaks all the same. */
const PATIENCE_MS = 8_000;
/** After its last line it lets the agent hang up, but not for ever. */
const LAST_PATIENCE_MS = 12_000;

export interface RecordedCallerOptions {
  sipPort: number;
  /** E.164. */
  number: string;
  /** What it says: 8 kHz PCM, one after the other. */
  lines: readonly Int16Array[];
}

/** What the caller heard between two of its lines. */
interface HeardAnswer {
  /** 8 kHz, without the silence before it. */
  pcm: Int16Array;
  /** End of the caller's line → first sound of the answer; undefined for the greeting, or where none came. */
  afterMs: number | undefined;
}

export interface RecordedCallResult {
  /** The greeting, then one for each line. */
  answers: HeardAnswer[];
  hungUpBy: "agent" | "caller";
}

/**
 * A caller who is a recording: places a real call over SIP and RTP on loopback, says each line when the agent has
 * finished its own, and keeps what it hears. Rejects where the call is not taken.
 */
export async function callWithRecordings(options: RecordedCallerOptions): Promise<RecordedCallResult> {
  const agent = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite: (invite) => invite.reject(486),
  });
  const line = new CallerLine(options.lines);
  const session = await RtpSession.open({
    address: "127.0.0.1",
    ports: new PortPool(CALLER_PORTS),
    payloadTypes: [PCMU.payloadType],
    onPacket: (packet, arrivalMs) => line.jitter.push(packet, arrivalMs),
  });
  const wheel = new MediaWheel({ onError: (error) => line.fail(error) });
  try {
    const audio: AudioSettings = { address: "127.0.0.1", port: session.port, codecs: [PCMU] };
    const result = await agent.invite({
      to: `sip:${options.number}@127.0.0.1:${options.sipPort}`,
      from: `sip:+12025550188@127.0.0.1:${agent.address.port}`,
      sdp: buildOffer(audio),
    });
    if (!result.ok) throw new Error(`the call was not taken: ${result.status} ${result.reason}`);
    const answer = acceptAnswer(result.session.remoteSdp, audio);
    if (!answer.ok) throw new Error(`the answer cannot be used: ${answer.reason}`);
    session.negotiate(answer.audio.remote, [PCMU.payloadType]);
    let timestamp = 0;
    wheel.add((dueMs) => {
      session.send(line.nextPayload(dueMs), PCMU.payloadType, timestamp, false);
      timestamp += FRAME_SAMPLES;
    });
    const hungUpBy = await Promise.race([
      result.session.ended.then(() => "agent" as const),
      line.finished.then(() => "caller" as const),
    ]);
    await result.session.bye();
    return { answers: line.answers(), hungUpBy };
  } finally {
    wheel.close();
    session.close();
    await agent.close();
  }
}

/** What is said and heard, frame by frame. */
class CallerLine {
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
  /** What is being said, and how far. */
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

  /** Hears 20 ms and gives the 20 ms to be said meanwhile. */
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
