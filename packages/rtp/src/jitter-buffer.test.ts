import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JitterBuffer, type JitterBufferResult } from "./jitter-buffer.ts";
import type { RtpPacket } from "./packet.ts";
import { seededRandom } from "@parley/testing";

const RATE = 8000;

interface StreamOptions {
  frames: number;
  ptimeMs?: number;
  startMs?: number;
  firstSequence?: number;
  firstTimestamp?: number;
  firstFrame?: number;
  ssrc?: number;
  /** Deviation of the sender's clock, in parts per million. */
  skewPpm?: number;
  lossPart?: number;
  jitterMs?: number;
  duplicatePart?: number;
  random?: () => number;
}

interface Arrival {
  packet: RtpPacket;
  atMs: number;
}

/** Arriving packets; a payload has the frame's length and begins with the frame number in four bytes. */
function stream(options: StreamOptions): Arrival[] {
  const { frames, ptimeMs = 20, startMs = 0, firstSequence = 65500, firstTimestamp = 0xfffff000 } = options;
  const { firstFrame = 0, ssrc = 1, skewPpm = 0, lossPart = 0, jitterMs = 0, duplicatePart = 0 } = options;
  const { random = seededRandom(1) } = options;
  const samples = (RATE * ptimeMs) / 1000;
  const arrivals: Arrival[] = [];
  for (let i = 0; i < frames; i++) {
    const payload = new Uint8Array(samples);
    new DataView(payload.buffer).setUint32(0, firstFrame + i);
    const packet = {
      marker: i === 0,
      payloadType: 0,
      sequenceNumber: (firstSequence + i) & 0xffff,
      timestamp: (firstTimestamp + i * samples) >>> 0,
      ssrc,
      payload,
    };
    const sentMs = startMs + i * ptimeMs * (1 - skewPpm / 1e6);
    if (random() >= lossPart) {
      arrivals.push({ packet, atMs: sentMs + random() * jitterMs });
      if (random() < duplicatePart) {
        arrivals.push({ packet, atMs: sentMs + random() * jitterMs });
      }
    }
  }
  return arrivals.sort((a, b) => a.atMs - b.atMs);
}

interface Played {
  atMs: number;
  result: JitterBufferResult;
  frame: number | undefined;
}

function createBuffer(): JitterBuffer {
  return new JitterBuffer({
    clockRateHz: RATE,
    samplesIn: (payload, payloadType) => (payloadType === 101 ? 0 : payload.length),
  });
}

/** Plays like a call: every 20 ms, pulls while there is less than one frame of sound. */
function play(
  arrivals: readonly Arrival[],
  untilMs: number,
  options: { buffer?: JitterBuffer; isQuiet?: boolean; fromMs?: number } = {},
): { played: Played[]; buffer: JitterBuffer; frames: number[] } {
  const { buffer = createBuffer(), isQuiet = false, fromMs = 3 } = options;
  const played: Played[] = [];
  let next = 0;
  let bufferedSamples = 0;
  for (let atMs = fromMs; atMs < untilMs; atMs += 20) {
    for (
      let arrival = arrivals[next];
      arrival !== undefined && arrival.atMs <= atMs;
      arrival = arrivals[++next]
    ) {
      buffer.push(arrival.packet, arrival.atMs);
    }
    while (bufferedSamples < 160) {
      const result = buffer.pull(atMs, isQuiet);
      const payload = result.kind === "frame" ? result.payload : undefined;
      const frame = payload && new DataView(payload.buffer, payload.byteOffset).getUint32(0);
      played.push({ atMs, result, frame });
      bufferedSamples +=
        result.kind === "idle" ? 160 : result.kind === "lost" ? result.samples : result.payload.length;
    }
    bufferedSamples -= 160;
  }
  const frames = played.flatMap(({ frame }) => frame ?? []);
  return { played, buffer, frames };
}

function kinds(played: readonly Played[]): string {
  return played.map(({ result }) => result.kind[0]).join("");
}

function isIncreasing(numbers: readonly number[]): boolean {
  return numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? 0));
}

/** Milliseconds from sending to playing of each frame. */
function delays(played: readonly Played[], ptimeMs = 20): number[] {
  return played.flatMap(({ frame, atMs }) => (frame === undefined ? [] : [atMs - frame * ptimeMs]));
}

describe("an even stream", () => {
  for (const ptimeMs of [10, 20, 30, 40, 60]) {
    test(`of ${ptimeMs} ms frames is played in order, over both wraps, with less than 85 ms delay`, () => {
      const frames = 12_000 / ptimeMs;
      const { played, frames: heard, buffer } = play(stream({ frames, ptimeMs }), 12_200);
      const { lost, late, duplicated, reordered, skipped } = buffer.counters;
      assert.ok(isIncreasing(heard));
      assert.equal(heard.length, frames - skipped);
      assert.ok(Math.max(...delays(played, ptimeMs)) <= 85);
      assert.deepEqual(
        { lost, late, duplicated, reordered },
        { lost: 0, late: 0, duplicated: 0, reordered: 0 },
      );
      // The initial estimate is replaced after the network has proved to be calm.
      assert.ok(skipped <= 2);
    });
  }

  test("is idle before it begins, and idle again after 60 ms of concealment at its end", () => {
    const { played } = play(stream({ frames: 10, startMs: 100 }), 600);
    assert.match(kinds(played), /^i{7,8}f{10}l{3}i+$/);
  });

  test("ends without concealment if the sender announces silence by comfort noise", () => {
    const arrivals = stream({ frames: 10 });
    const last = arrivals.at(-1);
    assert.ok(last);
    last.packet.payloadType = 13;
    assert.match(kinds(play(arrivals, 400).played), /^i+f{10}i+$/);
  });
});

describe("loss", () => {
  test("of single packets is concealed for exactly their length", () => {
    const arrivals = stream({ frames: 50 }).filter((_, i) => i % 10 !== 5);
    const { played, buffer } = play(arrivals, 980);
    assert.match(kinds(played), /^i+f{5}lf{9}lf{9}lf{9}lf{9}lf*$/);
    assert.equal(buffer.counters.lost, 5);
  });

  test("of 60 ms packets is concealed for 60 ms", () => {
    const arrivals = stream({ frames: 20, ptimeMs: 60 }).filter((_, i) => i !== 8);
    const { played } = play(arrivals, 1100);
    const concealed = played.flatMap(({ result }) => (result.kind === "lost" ? result.samples : []));
    assert.equal(
      concealed.reduce((sum, samples) => sum + samples, 0),
      480,
    );
  });

  test("at the very beginning adds no delay", () => {
    const { frames } = play(stream({ frames: 20 }).slice(3), 600);
    assert.equal(frames[0], 3);
  });

  test("of 5 s ends in idle and continues with the usual delay", () => {
    const arrivals = stream({ frames: 500 }).filter(({ atMs }) => atMs < 2000 || atMs >= 7000);
    const { played, frames, buffer } = play(arrivals, 10_050);
    assert.ok(isIncreasing(frames));
    // The delay has come down by a frame since the start.
    assert.equal(frames.length + buffer.counters.skipped, 250);
    const after = played.filter(({ atMs }) => atMs > 7100 && atMs < 9900);
    assert.ok(after.every(({ result }) => result.kind === "frame"));
    assert.ok(Math.max(...delays(played)) <= 65);
    assert.equal(buffer.counters.lost, 250);
  });
});

describe("order", () => {
  test("is restored within the delay, also for the first packets", () => {
    const arrivals = stream({ frames: 60 });
    for (const i of [0, 10, 20, 30, 40]) {
      const [a, b] = [arrivals[i], arrivals[i + 1]];
      assert.ok(a && b);
      [a.packet, b.packet] = [b.packet, a.packet];
    }
    const { frames, buffer } = play(arrivals, 1400);
    assert.deepEqual(frames, [...Array(60).keys()]);
    assert.equal(buffer.counters.reordered, 5);
    assert.equal(buffer.counters.late, 0);
  });

  test("is kept if every packet is duplicated", () => {
    const { frames, buffer } = play(stream({ frames: 100, duplicatePart: 1, jitterMs: 15 }), 2200);
    assert.ok(isIncreasing(frames));
    assert.equal(buffer.counters.duplicated, 100);
    assert.equal(buffer.counters.received, 200);
  });
});

describe("delay", () => {
  test("grows when packets are late and shrinks when the network is calm again", () => {
    const random = seededRandom(7);
    const rough = stream({ frames: 500, jitterMs: 120, random });
    const calm = stream({
      frames: 3000,
      firstFrame: 500,
      startMs: 10_000,
      firstSequence: 65500 + 500,
      firstTimestamp: 0xfffff000 + 500 * 160,
      random,
    });
    const { played } = play([...rough, ...calm], 70_000);
    const at = (fromMs: number) =>
      delays(played.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 1000));
    assert.ok(Math.min(...at(8000)) >= 80);
    assert.ok(Math.max(...at(8000)) <= 200);
    assert.ok(Math.max(...at(60_000)) <= 60, `${Math.max(...at(60_000))}`);
  });

  test("shrinks at once during silence", () => {
    const arrivals = stream({ frames: 700 }).map((arrival) =>
      arrival.atMs >= 12_000 && arrival.atMs < 12_160 ? { ...arrival, atMs: 12_160 } : arrival,
    );
    const loud = delays(play(arrivals, 13_000).played);
    const quiet = delays(play(arrivals, 13_000, { isQuiet: true }).played);
    assert.ok(Math.max(...loud.slice(-5)) > 100);
    assert.ok(Math.max(...quiet.slice(-5)) <= 85);
  });

  test("never exceeds its maximum by more than a frame after a stall of 1.5 s", () => {
    const arrivals = stream({ frames: 500 }).map((arrival) =>
      arrival.atMs >= 2000 && arrival.atMs < 3500 ? { ...arrival, atMs: 3500 } : arrival,
    );
    const { played, frames } = play(arrivals, 9900);
    assert.ok(isIncreasing(frames));
    assert.ok(Math.max(...delays(played.filter(({ atMs }) => atMs > 3600))) <= 220);
  });

  test("of a route that becomes 400 ms slower does not silence the stream", () => {
    const arrivals = stream({ frames: 500 }).map((arrival) =>
      arrival.atMs >= 3000 ? { ...arrival, atMs: arrival.atMs + 400 } : arrival,
    );
    const { played } = play(arrivals, 9900);
    const after = played.filter(({ atMs }) => atMs > 3700);
    const heard = after.filter(({ result }) => result.kind === "frame").length;
    assert.ok(heard / after.length > 0.9, `${heard} of ${after.length}`);
  });

  for (const skewPpm of [200, -200]) {
    test(`does not accumulate over 20 minutes with a sender's clock ${skewPpm} ppm off`, () => {
      const { played, frames, buffer } = play(stream({ frames: 60_000, skewPpm }), 1_199_000);
      assert.ok(isIncreasing(frames));
      const sentAt = (frame: number) => frame * 20 * (1 - skewPpm / 1e6);
      const tail = played.flatMap(({ frame, atMs }) => (frame === undefined ? [] : [atMs - sentAt(frame)]));
      assert.ok(Math.max(...tail) <= 65, `${Math.max(...tail)}`);
      // 240 ms of drift are twelve frames, and each is corrected once.
      const { skipped, stretched, late } = buffer.counters;
      assert.ok(skipped + stretched + late <= 20, JSON.stringify(buffer.counters));
    });
  }
});

describe("talk spurts", () => {
  test("begin with the usual delay after silence without packets, and silence is not loss", () => {
    const first = stream({ frames: 50 });
    const second = stream({
      frames: 50,
      firstFrame: 150,
      startMs: 3000,
      firstSequence: 65550,
      firstTimestamp: 0xfffff000 + 150 * 160,
    });
    const { played, frames, buffer } = play([...first, ...second], 4040);
    assert.equal(frames.length, 100);
    assert.ok(Math.max(...delays(played)) <= 65);
    assert.equal(buffer.counters.lost, 0);
  });

  test("telephone events between audio count neither as loss nor as audio", () => {
    const arrivals = stream({ frames: 100 });
    for (const { packet } of arrivals.slice(40, 50)) {
      packet.payloadType = 101;
    }
    const { frames, buffer } = play(arrivals, 2100);
    assert.equal(frames.length, 90);
    assert.equal(buffer.counters.lost, 0);
  });
});

test("a key held for 3 s with a constant timestamp does not disturb the audio after it", () => {
  const arrivals = stream({ frames: 300 });
  const start = arrivals[50]?.packet.timestamp ?? 0;
  for (const { packet } of arrivals.slice(50, 200)) {
    packet.payloadType = 101;
    packet.timestamp = start;
  }
  const { played, frames, buffer } = play(arrivals, 6050);
  assert.ok(frames.length >= 149);
  assert.ok(Math.max(...delays(played)) <= 65);
  assert.equal(buffer.counters.lost, 0);
});

describe("a new stream", () => {
  test("of another SSRC starts after two packets in sequence", () => {
    const old = stream({ frames: 50 });
    const renewed = stream({
      frames: 50,
      startMs: 1000,
      ssrc: 2,
      firstSequence: 9,
      firstTimestamp: 5,
      firstFrame: 50,
    });
    const { frames } = play([...old, ...renewed], 2100);
    assert.deepEqual(frames.slice(-50), [...Array(100).keys()].slice(50));
  });

  test("does not start with one stray packet of another SSRC or sequence number", () => {
    const arrivals = stream({ frames: 50 });
    const [strange] = stream({ frames: 1, startMs: 305, ssrc: 9, firstSequence: 1, firstFrame: 777 });
    const [wild] = stream({ frames: 1, startMs: 405, firstSequence: 30_000, firstFrame: 888 });
    assert.ok(strange && wild);
    const { frames } = play(
      [...arrivals, strange, wild].sort((a, b) => a.atMs - b.atMs),
      1100,
    );
    assert.deepEqual(frames, [...Array(50).keys()]);
  });

  test("of a sender that restarts with the same SSRC starts", () => {
    const old = stream({ frames: 50 });
    const renewed = stream({
      frames: 50,
      startMs: 1000,
      firstSequence: 30_000,
      firstTimestamp: 5,
      firstFrame: 50,
    });
    const { frames } = play([...old, ...renewed], 2100);
    assert.deepEqual(frames.slice(-50), [...Array(100).keys()].slice(50));
  });

  test("of timestamps with continuing sequence numbers starts", () => {
    const old = stream({ frames: 50 });
    const renewed = stream({
      frames: 50,
      startMs: 1000,
      firstSequence: 65_550,
      firstTimestamp: 5,
      firstFrame: 50,
    });
    const { frames } = play([...old, ...renewed], 2100);
    assert.deepEqual(frames.slice(-50), [...Array(100).keys()].slice(50));
  });
});

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`with 5 % loss, reordering and 60 ms jitter order is kept and delay bounded (seed ${seed})`, () => {
    const arrivals = stream({
      frames: 3000,
      lossPart: 0.05,
      jitterMs: 60,
      duplicatePart: 0.02,
      random: seededRandom(seed),
    });
    const { played, frames, buffer } = play(arrivals, 60_000);
    const counters = buffer.counters;
    const sent = new Set(arrivals.map(({ packet }) => packet.sequenceNumber)).size;
    assert.ok(isIncreasing(frames));
    assert.ok(frames.length >= sent * 0.95, `${frames.length} of ${sent}`);
    assert.ok(Math.max(...delays(played)) <= 220);
    const settled = delays(played.filter(({ atMs }) => atMs > 10_000));
    assert.ok(settled.reduce((sum, ms) => sum + ms, 0) / settled.length <= 110);
    assert.ok(counters.reordered > 100 && counters.duplicated > 0);
    assert.ok(
      counters.lost >= 2990 - sent && counters.lost <= 3000 - sent + counters.late + counters.skipped,
    );
    assert.ok(counters.jitterMs > 10 && counters.jitterMs < 30);
  });
}
