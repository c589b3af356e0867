/**
 * Time to protect and to verify one packet of 20 ms of telephone audio (160 bytes) with each SRTP suite, and to encode
 * and decode the same length with G.722. Processor time, the best of several rounds.
 *
 *     node bench/srtp.ts [--json]
 */
import { randomBytes } from "node:crypto";
import { G722Decoder, G722Encoder } from "../packages/audio/src/index.ts";
import { writeRtp } from "../packages/rtp/src/index.ts";
import { SrtpReceiver, SrtpSender } from "../packages/rtp/src/srtp/srtp-stream.ts";
import { srtpSuites, type SrtpSuite } from "../packages/rtp/src/srtp/suites.ts";
import { Yardstick } from "./support/yardstick.ts";

const PACKETS = 5_000;
const ROUNDS = 5;

interface Row {
  name: string;
  sendMicroseconds: number;
  receiveMicroseconds: number;
}

function packet(sequenceNumber: number): Uint8Array {
  const timestamp = sequenceNumber * 160;
  return writeRtp({
    marker: false,
    payloadType: 0,
    sequenceNumber,
    timestamp,
    ssrc: 7,
    payload: randomBytes(160),
  });
}

/** Processor microseconds of `work` per packet. */
function microseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PACKETS;
}

function best(rounds: readonly Omit<Row, "name">[]): Omit<Row, "name"> {
  return {
    sendMicroseconds: Math.min(...rounds.map((round) => round.sendMicroseconds)),
    receiveMicroseconds: Math.min(...rounds.map((round) => round.receiveMicroseconds)),
  };
}

function measureSuite(suite: SrtpSuite): Row {
  const { keyBytes, saltBytes } = srtpSuites[suite];
  const masterKey = randomBytes(keyBytes + saltBytes);
  const packets = Array.from({ length: PACKETS }, (_, i) => packet(i));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [sender, receiver] = [new SrtpSender(suite, masterKey), new SrtpReceiver(suite, masterKey)];
    let sealed: Uint8Array[] = [];
    return {
      sendMicroseconds: microseconds(() => (sealed = packets.map((each) => sender.protectRtp(each)))),
      receiveMicroseconds: microseconds(() => {
        for (const each of sealed) if (receiver.unprotectRtp(each) === undefined) throw new Error("refused");
      }),
    };
  });
  return { name: suite, ...best(rounds) };
}

function measureG722(): Row {
  const pcm = Int16Array.from({ length: 320 }, (_, i) => 8000 * Math.sin(i / 5));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
    const [bytes, out] = [new Uint8Array(160), new Int16Array(320)];
    return {
      sendMicroseconds: microseconds(() => {
        for (let i = 0; i < PACKETS; i++) encoder.encode(pcm, bytes);
      }),
      receiveMicroseconds: microseconds(() => {
        for (let i = 0; i < PACKETS; i++) decoder.decode(bytes, out);
      }),
    };
  });
  return { name: "G.722", ...best(rounds) };
}

const yardstick = new Yardstick();
const suites = Object.keys(srtpSuites).filter((name): name is SrtpSuite => name in srtpSuites);
const rows = [...suites.map(measureSuite), measureG722()];
for (const { name, sendMicroseconds, receiveMicroseconds } of rows)
  console.log(
    `${name.padEnd(26)} out ${sendMicroseconds.toFixed(1).padStart(5)} µs   in ${receiveMicroseconds.toFixed(1).padStart(5)} µs`,
  );
const report = yardstick.finish(
  Object.fromEntries(
    rows.flatMap(({ name, sendMicroseconds, receiveMicroseconds }) => [
      [`${name}, a thousand packets out`, sendMicroseconds],
      [`${name}, a thousand packets in`, receiveMicroseconds],
    ]),
  ),
);
if (process.argv.includes("--json")) console.log(JSON.stringify({ rows, ...report }));
