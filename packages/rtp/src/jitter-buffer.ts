import { DelayEstimator } from "./delay-estimator.ts";
import type { RtpPacket } from "./packet.ts";
import { sequenceDelta, timestampDelta } from "./serial-numbers.ts";

export interface JitterBufferOptions {
  /** Clock rate of the timestamps. */
  clockRateHz: number;
  /**
   * Length of a payload in clock ticks; 0 if it is not audio (telephone-event, an unknown payload type). Such
   * packets are pushed too, so that their sequence numbers do not count as lost, but they are never pulled.
   */
  samplesIn: (payload: Uint8Array, payloadType: number) => number;
}

export type JitterBufferResult =
  /** The next payload to decode. Comfort noise (payload type 13, RFC 3389) is also a frame. */
  | { kind: "frame"; payload: Uint8Array; payloadType: number; timestamp: number }
  /**
   * Missing sound: conceal this many samples. `following` is the next packet, if received, which may describe
   * them (forward error correction).
   */
  | { kind: "lost"; samples: number; following?: Uint8Array }
  /** No packet is expected: the stream has not started, or the sender is silent. */
  | { kind: "idle" };

export interface JitterBufferCounters {
  received: number;
  /** Not received, or received too late to be played. */
  lost: number;
  late: number;
  duplicated: number;
  reordered: number;
  /** Frames dropped to reduce the delay. */
  skipped: number;
  /** Concealed frames inserted because a packet was late, or to increase the delay. */
  stretched: number;
  /** RFC 3550 §6.4.1. */
  jitterMs: number;
  targetDelayMs: number;
}

interface BufferedPacket {
  packet: RtpPacket;
  /** Sequence number and timestamp including their wraps. */
  sequence: number;
  timestamp: number;
  samples: number;
}

/** Limits of the play-out delay: one frame, and the maximum for a conversation. */
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 200;
/** Two seconds of 20 ms frames; a power of two. */
const CAPACITY = 128;
/** RFC 3550 A.1: a larger step in either direction means that the sender restarted. */
const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;
/** If media time and arrival time diverge by more, the sender has a new media clock. */
const MAX_CLOCK_STEP_MS = 1000;
/** Longer concealment is silent anyway: the sender is assumed to have paused. */
const MAX_CONCEALED_MS = 60;
/** In speech, a frame is dropped after the delay has been too long for this time. */
const SKIP_INTERVAL_MS = 1000;
const STRETCH_INTERVAL_MS = 200;
const COMFORT_NOISE = 13;
const IDLE: JitterBufferResult = { kind: "idle" };

/**
 * Orders the packets of one RTP stream and plays them at an even pace, after a delay that follows the network's
 * jitter. It reads no clock: callers pass times in milliseconds of a monotonic clock.
 *
 * The consumer pulls when it has less than one frame of decoded sound; frames may have any length. An underrun
 * drops nothing: play-out waits, which increases the delay. Dropping frames reduces it again: in silence as soon
 * as it is one frame too long, in speech once a second, and above 200 ms at once.
 *
 * Buffers at most 128 packets, as views into their datagrams.
 */
export class JitterBuffer {
  readonly #clockRateHz: number;
  readonly #samplesIn: JitterBufferOptions["samplesIn"];
  readonly #delay = new DelayEstimator(MIN_DELAY_MS, MAX_DELAY_MS);
  readonly #slots = Array.from<BufferedPacket | undefined>({ length: CAPACITY });
  /** The last received sequence number of each slot, to distinguish duplicates from late packets. */
  readonly #received = new Float64Array(CAPACITY).fill(-1);
  readonly #counters = {
    received: 0,
    lost: 0,
    late: 0,
    duplicated: 0,
    reordered: 0,
    skipped: 0,
    stretched: 0,
  };

  #ssrc: number | undefined;
  /** First packet of a possible new source or restarted sender (RFC 3550 A.1 requires two in sequence). */
  #candidate: { packet: RtpPacket; arrivalMs: number } | undefined;
  #newest: BufferedPacket | undefined;
  /** The next sequence number to play. */
  #expected = 0;
  /** The next timestamp to play. */
  #playTimestamp = 0;
  #hasPlayed = false;
  #isPlaying = false;
  #frameSamples: number;
  #lastPayloadType: number | undefined;
  /** Samples concealed before the next packet arrived; subtracted from a gap that turns out to be a loss. */
  #concealedAhead = 0;
  #concealedMs = 0;
  #tooLongSinceMs: number | undefined;
  #stretchedAtMs = -Infinity;

  constructor(options: JitterBufferOptions) {
    this.#clockRateHz = options.clockRateHz;
    this.#samplesIn = options.samplesIn;
    this.#frameSamples = options.clockRateHz / 50;
  }

  get counters(): JitterBufferCounters {
    return { ...this.#counters, jitterMs: this.#delay.jitterMs, targetDelayMs: this.#delay.targetMs };
  }

  /** Adds a packet. Its payload must not change afterwards, because it is not copied. */
  push(packet: RtpPacket, arrivalMs: number): void {
    this.#counters.received++;
    const newest = this.#newest;
    if (newest === undefined) {
      this.#start(packet, arrivalMs);
      return;
    }
    const step = sequenceDelta(packet.sequenceNumber, newest.packet.sequenceNumber);
    if (packet.ssrc !== this.#ssrc || step > MAX_DROPOUT || step < -MAX_MISORDER) {
      this.#considerRestart(packet, arrivalMs);
      return;
    }
    const timestamp = newest.timestamp + timestampDelta(packet.timestamp, newest.packet.timestamp);
    const samples = this.#samplesIn(packet.payload, packet.payloadType);
    const buffered = { packet, sequence: newest.sequence + step, timestamp, samples };
    if (step > 0 && samples > 0 && this.#isNewClock(buffered, newest, arrivalMs)) {
      this.#start(packet, arrivalMs);
    } else {
      this.#insert(buffered, newest, arrivalMs);
    }
  }

  /**
   * Returns the next sound to play.
   *
   * @param nowMs time on the clock of the arrival times.
   * @param isQuiet true during silence, in which a change of the delay is inaudible.
   */
  pull(nowMs: number, isQuiet = false): JitterBufferResult {
    const head = this.#skipToDelay(nowMs, isQuiet);
    if (head === undefined) {
      return this.#underrun();
    }
    const gap = head.timestamp - this.#playTimestamp;
    if (this.#isPlaying && gap > 0) {
      const isLoss = this.#countMissing(head.sequence) > 0 && this.#concealedMs < MAX_CONCEALED_MS;
      if (isLoss && gap > this.#concealedAhead) {
        const samples = Math.min(gap - this.#concealedAhead, this.#frameSamples);
        this.#playTimestamp += samples;
        const isLast = gap - this.#concealedAhead === samples;
        return { ...this.#conceal(samples), ...(isLast && { following: head.packet.payload }) };
      }
      // No gap in sequence numbers: the sender was silent, and a talk spurt begins (RFC 3551 §4.1).
      this.#isPlaying = isLoss;
    }
    const lateByMs = this.#delayOf(head, nowMs) - this.#delay.targetMs;
    if (!this.#isPlaying) {
      return lateByMs >= 0 ? this.#play(head) : IDLE;
    }
    const mayStretch = isQuiet || nowMs - this.#stretchedAtMs >= STRETCH_INTERVAL_MS;
    if (mayStretch && lateByMs <= -this.#toMs(this.#frameSamples)) {
      this.#stretchedAtMs = nowMs;
      this.#counters.stretched++;
      return { kind: "lost", samples: this.#frameSamples };
    }
    return this.#play(head);
  }

  #toMs(samples: number): number {
    return (samples * 1000) / this.#clockRateHz;
  }

  /** True if the sender has restarted its timestamps but not its sequence numbers. */
  #isNewClock(buffered: BufferedPacket, newest: BufferedPacket, arrivalMs: number): boolean {
    const excessMs = this.#delayOf(buffered, arrivalMs);
    const isBackward = newest.samples > 0 && buffered.timestamp < newest.timestamp;
    return isBackward || Math.abs(excessMs) > MAX_CLOCK_STEP_MS;
  }

  /** The delay of this packet, if played now, relative to the fastest possible packet. */
  #delayOf(buffered: BufferedPacket, nowMs: number): number {
    return nowMs - this.#toMs(buffered.timestamp) - this.#delay.baseTransitMs;
  }

  #start(packet: RtpPacket, arrivalMs: number): void {
    this.#slots.fill(undefined);
    this.#received.fill(-1);
    this.#delay.restart();
    this.#candidate = undefined;
    this.#ssrc = packet.ssrc;
    this.#hasPlayed = false;
    this.#isPlaying = false;
    this.#tooLongSinceMs = undefined;
    const samples = this.#samplesIn(packet.payload, packet.payloadType);
    // Leaves room below, so that packets overtaken by the first one do not make the count negative.
    const sequence = packet.sequenceNumber + 0x10000;
    const buffered = { packet, sequence, timestamp: packet.timestamp, samples };
    this.#expected = sequence;
    this.#insert(buffered, buffered, arrivalMs);
  }

  #considerRestart(packet: RtpPacket, arrivalMs: number): void {
    const candidate = this.#candidate;
    this.#candidate = { packet, arrivalMs };
    if (
      candidate !== undefined &&
      candidate.packet.ssrc === packet.ssrc &&
      sequenceDelta(packet.sequenceNumber, candidate.packet.sequenceNumber) === 1
    ) {
      this.#start(candidate.packet, candidate.arrivalMs);
      // `#start` has handled the first packet; the second now belongs to the same stream and was already counted.
      this.#counters.received--;
      this.push(packet, arrivalMs);
    }
  }

  #insert(buffered: BufferedPacket, newest: BufferedPacket, arrivalMs: number): void {
    const { sequence, timestamp, samples } = buffered;
    const slot = sequence % CAPACITY;
    if (this.#received[slot] === sequence) {
      this.#counters.duplicated++;
      return;
    }
    if (!this.#hasPlayed && sequence > newest.sequence - CAPACITY) {
      this.#expected = Math.min(this.#expected, sequence);
    }
    const isPast =
      sequence < this.#expected ||
      (this.#isPlaying && timestamp + samples <= this.#playTimestamp && samples > 0);
    if (samples > 0) {
      this.#delay.observe(arrivalMs, this.#toMs(timestamp), isPast);
    }
    if (isPast) {
      this.#counters.late++;
      return;
    }
    if (sequence < newest.sequence) {
      this.#counters.reordered++;
    } else {
      this.#newest = buffered;
    }
    this.#advanceTo(sequence - CAPACITY + 1);
    this.#slots[slot] = buffered;
    this.#received[slot] = sequence;
  }

  /** Drops everything before a sequence number, to stay within the capacity. */
  #advanceTo(sequence: number): void {
    if (sequence <= this.#expected) {
      return;
    }
    this.#counters.lost += this.#countMissing(sequence);
    for (let gone = Math.max(this.#expected, sequence - CAPACITY); gone < sequence; gone++) {
      this.#slots[gone % CAPACITY] = undefined;
    }
    this.#expected = sequence;
  }

  /** Number of missing packets from the expected one up to `sequence`. */
  #countMissing(sequence: number): number {
    let missing = Math.max(0, sequence - this.#expected - CAPACITY);
    for (let i = this.#expected + missing; i < sequence; i++) {
      missing += this.#received[i % CAPACITY] === i ? 0 : 1;
    }
    return missing;
  }

  /** The next packet with audio; skips those without. */
  #head(): BufferedPacket | undefined {
    const last = this.#newest?.sequence ?? -1;
    for (let sequence = this.#expected; sequence <= last; sequence++) {
      const buffered = this.#slots[sequence % CAPACITY];
      if (buffered?.sequence === sequence) {
        if (buffered.samples > 0) {
          return buffered;
        }
        if (sequence === this.#expected) {
          this.#advanceTo(sequence + 1);
        }
      }
    }
    return undefined;
  }

  /** The packet to play, after dropping frames to reduce the delay. */
  #skipToDelay(nowMs: number, isQuiet: boolean): BufferedPacket | undefined {
    let head = this.#head();
    while (head !== undefined && this.#depthOf(head, nowMs) > MAX_DELAY_MS) {
      head = this.#skip(head);
    }
    if (head === undefined || !this.#isPlaying) {
      return head;
    }
    const isTooLong = this.#depthOf(head, nowMs) >= this.#delay.targetMs + this.#toMs(head.samples);
    if (!isTooLong) {
      this.#tooLongSinceMs = undefined;
      return head;
    }
    this.#tooLongSinceMs ??= nowMs;
    if (isQuiet || nowMs - this.#tooLongSinceMs >= SKIP_INTERVAL_MS) {
      this.#tooLongSinceMs = undefined;
      return this.#skip(head);
    }
    return head;
  }

  /**
   * The delay that dropping frames can remove: at most the buffered sound. If a route becomes slower by more than
   * the maximum, every packet is late, and none may be dropped for it.
   */
  #depthOf(head: BufferedPacket, nowMs: number): number {
    const newest = this.#newest ?? head;
    return Math.min(
      this.#delayOf(head, nowMs),
      this.#toMs(newest.timestamp + newest.samples - head.timestamp),
    );
  }

  #skip(head: BufferedPacket): BufferedPacket | undefined {
    this.#counters.skipped++;
    this.#consume(head);
    return this.#head();
  }

  #consume(head: BufferedPacket): void {
    this.#advanceTo(head.sequence + 1);
    this.#hasPlayed = true;
    this.#playTimestamp = head.timestamp + head.samples;
    this.#concealedAhead = 0;
    this.#concealedMs = 0;
  }

  #play(head: BufferedPacket): JitterBufferResult {
    this.#consume(head);
    this.#isPlaying = true;
    this.#frameSamples = head.samples;
    const { payload, payloadType, timestamp } = head.packet;
    this.#lastPayloadType = payloadType;
    return { kind: "frame", payload, payloadType, timestamp };
  }

  #underrun(): JitterBufferResult {
    const isSilent = this.#concealedMs >= MAX_CONCEALED_MS || this.#lastPayloadType === COMFORT_NOISE;
    if (!this.#isPlaying || isSilent) {
      this.#isPlaying = false;
      return IDLE;
    }
    this.#counters.stretched++;
    this.#concealedAhead += this.#frameSamples;
    return this.#conceal(this.#frameSamples);
  }

  #conceal(samples: number): { kind: "lost"; samples: number } {
    this.#concealedMs += this.#toMs(samples);
    return { kind: "lost", samples };
  }
}
