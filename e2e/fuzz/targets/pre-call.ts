import { setTimeout as sleep } from "node:timers/promises";
import { flipped } from "../../../packages/sip/src/testing/mutate.ts";
import { RawSip, sdp } from "../../support/phone/raw-sip.ts";
import { pace } from "../node/hostile-customer.ts";
import type { Random } from "../random.ts";
import type { Target } from "../target.ts";
import { classOf } from "./sip-answers.ts";

const MAX_BODY_BYTES = 3_000_000;
const DEEPEST_JSON = 300_000;

const head = (status: string, length: number): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const bodies: readonly ((random: Random) => string)[] = [
  () => `{"a":[${"{},".repeat(340_000)}{}]}`,
  (random) => "[".repeat(random.length(DEEPEST_JSON)),
  (random) => {
    const levels = random.length(DEEPEST_JSON);
    return `{"variables":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
  },
  (random) => `{"firstMessage":"${"a".repeat(random.length(MAX_BODY_BYTES))}"}`,
  (random) =>
    `{"variables":{${Array.from({ length: random.length(60_000) }, (_, index) => `"k${index}":"v"`).join()}}}`,
  (random) => `{"variables":{"a":"${"{{a}}".repeat(random.length(20_000))}"},"firstMessage":"{{a}}"}`,
  (random) =>
    `{${Array.from({ length: random.length(100_000) }, (_, index) => `"unknown${index}":0`).join()}}`,
  () =>
    '{"variables":{"__proto__":{"a":1},"constructor":"a","\\u0000":"\\u0000"},"firstMessage":"\\u0000\\ud800"}',
  () => '{"variables":[],"firstMessage":{},"reject":"yes"}',
  () => '{"firstMessage":1e999,"variables":{"a":1e999}}',
  () => "null",
  () => '"a"',
  () => "\ufeff{}",
  () => "",
];
const statuses = [
  "200 OK",
  "201 Created",
  "204 No Content",
  "302 Found\r\nLocation: http://127.0.0.1:1/",
  "500 No",
  "999 X",
];
const noHttp = [
  "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
  "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
  "HTTP/9.9 200\r\n\r\n",
  "SIP/2.0 200 OK\r\n\r\n",
  "\0".repeat(1000),
  `HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(20_000)}\r\n`,
  `HTTP/1.1 200 OK\r\nX: ${"a".repeat(200_000)}\r\n\r\n`,
  "HTTP/1.1 100 Continue\r\n\r\n".repeat(5_000),
];

function answer(random: Random): Buffer {
  if (random.chance(0.2)) return Buffer.from(random.pick(noHttp));
  const body = random.pick(bodies)(random);
  const whole = Buffer.from(
    head(random.chance(0.8) ? "200 OK" : random.pick(statuses), Buffer.byteLength(body)) + body,
  );
  if (random.chance(0.2)) return flipped(whole, random.below);
  return random.chance(0.1) ? whole.subarray(0, random.below(whole.length)) : whole;
}

function preCallInputs(random: Random): () => Buffer {
  return () => {
    const choice = random.next();
    if (choice < 0.03) return Buffer.from([pace.never]);
    if (choice < 0.1) return Buffer.concat([Buffer.from([pace.dribbled]), answer(random)]);
    if (choice < 0.15) {
      const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
      // Begins with the head of a chunked response only once: the bytes after it are not a chunk, or repeat
      // one chunk forever.
      const start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
      return Buffer.concat([
        Buffer.from([pace.endless]),
        Buffer.from(random.chance(0.5) ? start + chunk : chunk),
      ]);
    }
    return Buffer.concat([Buffer.from([pace.whole]), answer(random)]);
  };
}

let nextCaller = 15_550_170_001;

/** Calls to an agent whose pre-call webhook answers each of them with another input. */
export const preCall: Target = {
  name: "pre-call",
  concurrency: 3,
  pauseMs: 100,
  inputs: preCallInputs,
  open: async ({ platform, agents, customer }, onAnswer) => ({
    send: async (input) => {
      const from = `+${nextCaller++}`;
      customer.answerNext(from, input);
      const raw = await RawSip.open({ sipPort: platform.sipPort, number: agents.preCall.number, from });
      raw.send(raw.request("INVITE", { body: sdp() }));
      const response = await raw.response("INVITE").catch(() => undefined);
      const status = response === undefined ? 0 : RawSip.statusOf(response);
      onAnswer(status === 0 ? "!none" : classOf(String(status)), input);
      raw.send(raw.request("ACK"));
      if (status === 200) {
        raw.send(raw.request("BYE", { sequence: 2 }));
        await sleep(50);
      }
      raw.close();
    },
    close: async () => {},
  }),
};
