import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerListener } from "./target.ts";

/** A request that is not whole is not answered; what is whole is answered well within this. */
const ANSWER_DEADLINE_MS = 3_000;
/** After an answer, for another one that should not come. */
const AFTER_ANSWER_MS = 30;
const PIECE_INTERVAL_MS = 10;
const PIECES = 8;
/** 503 says that there is no room, which may be so. */
const sensible = /^(?:[1234]\d\d|501|503|505)$/;

export interface RawRequest {
  port: number;
  bytes: Buffer;
  /** In pieces with pauses between them. */
  isSlow?: boolean;
}

/** Sends bytes to an HTTP server, whether they are a request or not, and returns what comes back. */
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

/** Tells the class of each answer in what came back. */
export function tellAnswers(answer: string, onAnswer: AnswerListener, input: Buffer): void {
  const statuses = [...answer.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status = ""]) => status);
  if (statuses.length === 0) onAnswer(answer === "" ? "none" : "!no HTTP", input);
  for (const status of statuses) onAnswer(sensible.test(status) ? `${status[0]}xx` : `!${status}`, input);
}

/** A request with the right length of its body. */
export function httpRequest(
  method: string,
  path: string,
  { headers = {}, body = "" }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Buffer {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n"));
}
