import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerListener } from "./target.ts";

/** Incomplete requests get no answer. Complete ones are answered well within this time. */
const ANSWER_DEADLINE_MS = 3_000;
/** Time after an answer for a second one, which must not come. */
const AFTER_ANSWER_MS = 30;
const PIECE_INTERVAL_MS = 10;
const PIECES = 8;
/** 503 is allowed, because the node may be full. */
const sensible = /^(?:[1234]\d\d|501|503|505)$/;

export interface RawRequest {
  port: number;
  bytes: Buffer;
  /** Sends in pieces with pauses between them. */
  isSlow?: boolean;
}

/** Sends bytes to an HTTP server, as a request or not, and returns the response. */
export async function exchange({ port, bytes, isSlow = false }: RawRequest): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let answer = "";
  socket.on("error", () => end());
  socket.on("close", () => end());
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1");
    setTimeout(end, AFTER_ANSWER_MS);
  });
  const deadline = setTimeout(end, ANSWER_DEADLINE_MS);
  if (isSlow) {
    const pieceBytes = Math.ceil(bytes.length / PIECES);
    for (let at = 0; at < bytes.length && socket.writable; at += pieceBytes) {
      socket.write(bytes.subarray(at, at + pieceBytes));
      await sleep(PIECE_INTERVAL_MS);
    }
  } else socket.write(bytes);
  await over;
  clearTimeout(deadline);
  socket.destroy();
  return answer;
}

/** Reports the class of each answer in the received text. */
export function tellAnswers(answer: string, onAnswer: AnswerListener, input: Buffer): void {
  const statuses = [...answer.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status = ""]) => status);
  if (statuses.length === 0) onAnswer(answer === "" ? "none" : "!no HTTP", input);
  for (const status of statuses) onAnswer(sensible.test(status) ? `${status[0]}xx` : `!${status}`, input);
}

/** Returns a request with the correct length of its body. */
export function httpRequest(
  method: string,
  path: string,
  { headers = {}, body = "" }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Buffer {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n"));
}
