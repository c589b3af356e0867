import { DelayEstimator } from "./delay-estimator.ts";
import type { RtpPacket } from "./packet.ts";
import { sequenceDelta, timestampDelta } from "./serial-numbers.ts";

export interface JitterBufferOptions {
  /** Clock rate of the timestamps. */
  clockRateHz: number;
  /**
   * Length of a payload in units of the clock; 0 for one that is no audio (telephone-event, an unknown payload
   * type). Such packets are pushed too, so that their sequence numbers are not missed, and are never pulled.
   */
  samplesIn: (payload: Uint8Array, payloadType: number) => number;
}

export type JitterBufferResult =
  /** The next payload to decode. Comfort noise (payload type 13, RFC 3389) comes as a frame too. */
  | { kind: "frame"; payload: Uint8Array; payloadType: number; timestamp: number }
  /**
   * Sound is missing here: conceal this many samples. `following` is the packet right after them, where it has come: it may
   * tell of them (forward error correction).
   */
  | { kind: "lost"; samples: number; following?: Uint8Array }
  /** Nothing is to be expected: not started, or the sender is silent. */
  | { kind: "idle" };

export interface JitterBufferCounters {
  received: number;
  /** Never came, or came too late to be played. */
  lost: number;
  late: number;
  duplicated: number;
  reordered: number;
  /** Frames left out to bring the delay down. */
  skipped: number;
  /** Moments of concealment put in because a frame was not there in time, or to bring the delay up. */
  stretched: number;
  /** RFC 3550 §6.4.1. */
  jitterMs: number;
  targetDelayMs: number;
}

interface BufferedPacket {
  packet: RtpPacket;
  /** Sequence number and timestamp with their wraps counted. */
  sequence: number;
  timestamp: number;
  samples: number;
}

/** Bounds of the play-out delay: one frame, and what a talk still bears. */
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 200;
/** Two seconds of 20 ms frames; a power of two. */
const CAPACITY = 128;
/** RFC 3550 A.1: a larger step, forward or back, is a sender that has restarted. */
const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;
/** Media time that runs away from arrival by more is a new media clock, not a delay. */
const MAX_CLOCK_STEP_MS = 1000;
/** Concealment beyond this is silence anyway: the sender is taken to have paused. */
const MAX_CONCEALED_MS = 60;
/** How long the delay must be too long before a frame is left out of running speech. */
const SKIP_AFTER_MS = 1000;
const STRETCH_INTERVAL_MS = 200;
const COMFORT_NOISE = 13;
const IDLE: JitterBufferResult = { kind: "idle" };

/**
 * Puts the packets of one RTP stream in order and plays them at an even pace, late by a delay that follows the
 * network's jitter. It reads no clock: times are passed in, in milliseconds of any one monotonic clock.
 *
 * The consumer pulls whenever it has less than a frame of decoded sound left: a frame may be of any length. An
 * underrun does not throw away what comes afterwards: play-out waits, and the delay has thereby grown. It shrinks
 * again by leaving out frames, in quiet moments as soon as it is a frame too long, in speech once a second;
 * beyond 200 ms at once.
 *
 * At most 128 packets are held, as views into the datagrams they came in.
 */
export class JitterBuffer {
  readonly #clockRateHz: number;
  readonly #samplesIn: JitterBufferOptions["samplesIn"];
  readonly #delay = new DelayEstimator(MIN_DELAY_MS, MAX_DELAY_MS);
  readonly #slots = Array.from<BufferedPacket | undefined>({ length: CAPACITY });
  /** The sequence number last received in each slot, to know duplicates from late packets. */
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
  /** First packet of what may be a new source or a restarted sender (RFC 3550 A.1: two in sequence are needed). */
  #candidate: { packet: RtpPacket; arrivalMs: number } | undefined;
  #newest: BufferedPacket | undefined;
  /** Sequence number to be played next. */
  #expected = 0;
  /** Timestamp to be played next, while playing. */
  #playTimestamp = 0;
  #hasPlayed = false;
  #isPlaying = false;
  #frameSamples: number;
  #lastPayloadType: number | undefined;
  /** Samples concealed while nothing was there, to be taken off a gap that turns out to be a loss. */
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

  /** Takes a packet. Its payload must not be changed afterwards: it is kept as it is, not copied. */
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
   * Gives what is to be heard next.
   *
   * @param nowMs On the clock of the arrival times.
   * @param isQuiet Whether nobody is speaking at present, so that a change of the delay is not heard.
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
      // Sequence numbers without a gap: the sender was silent, and a talk spurt begins (RFC 3551 §4.1).
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

  /** Whether the sender has set its timestamps anew, its sequence numbers going on. */
  #isNewClock(buffered: BufferedPacket, newest: BufferedPacket, arrivalMs: number): boolean {
    const excessMs = this.#delayOf(buffered, arrivalMs);
    const goesBack = newest.samples > 0 && buffered.timestamp < newest.timestamp;
    return goesBack || Math.abs(excessMs) > MAX_CLOCK_STEP_MS;
  }

  /** How much later than the fastest possible packet this one would be played now. */
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
    // Room below, so that packets that were overtaken by the first are counted without going negative.
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
      // `#start` has taken the first; the second belongs to the same stream now, and was counted already.
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

  /** Gives up everything before a sequence number, to keep within the capacity. */
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

  /** How many packets from the expected one up to `sequence` were not received. */
  #countMissing(sequence: number): number {
    let missing = Math.max(0, sequence - this.#expected - CAPACITY);
    for (let i = this.#expected + missing; i < sequence; i++) {
      missing += this.#received[i % CAPACITY] === i ? 0 : 1;
    }
    return missing;
  }

  /** The next packet with audio; those without, where they are next, are stepped over. */
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

  /** The packet to be played, after leaving out what the delay is too long by. */
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
    if (isQuiet || nowMs - this.#tooLongSinceMs >= SKIP_AFTER_MS) {
      this.#tooLongSinceMs = undefined;
      return this.#skip(head);
    }
    return head;
  }

  /**
   * Delay that leaving out frames can take away: no more than what is buffered. A route that has become slower by
   * more than the maximum delays every packet, and none of them may be dropped for it.
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
