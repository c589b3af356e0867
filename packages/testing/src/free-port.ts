import { createSocket } from "node:dgram";
import { type EventEmitter, once } from "node:events";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** Below the ports that the system gives to outgoing connections, and below those of the platform's audio. */
const FIRST_PORT = 10_000;
const RANGES = 50;
const PORTS_PER_RANGE = 200;

/** The ports that this process may still give, each of them once: a program may bind its port seconds later. */
let next = 0;
let end = 0;

/**
 * A port that is free for TCP and UDP on every address, and that no other test of this machine is given.
 *
 * @param span Ports that are free from this one on, an even number. Default: 2, so that the next one is left for RTCP.
 */
export async function freePort(span = 2): Promise<number> {
  for (;;) {
    if (next + span > end) claimRange();
    const port = next;
    next += span;
    const ports = Array.from({ length: span }, (_, index) => port + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return port;
  }
}

/** Claims a range by a file with the process's number: random ports of two processes would at times be the same. */
function claimRange(): void {
  const start = process.pid % RANGES;
  for (let at = 0; at < RANGES; at++) {
    const range = (start + at) % RANGES;
    const file = path.join(tmpdir(), `parley-test-ports-${range}`);
    if (!claim(file)) continue;
    process.once("exit", () => rmSync(file, { force: true }));
    next = FIRST_PORT + range * PORTS_PER_RANGE;
    end = next + PORTS_PER_RANGE;
    return;
  }
  throw new Error(`all ranges of ports for tests are in use: see ${tmpdir()}/parley-test-ports-*`);
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return isAbandoned(file) && takeOver(file);
  }
}

/** Whether the process that claimed it was killed. */
function isAbandoned(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** One process alone can rename the file. */
function takeOver(file: string): boolean {
  const own = `${file}.${process.pid}`;
  try {
    renameSync(file, own);
    rmSync(own);
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  await using server = createServer();
  await using socket = createSocket("udp4");
  try {
    await Promise.all([
      listening(server, () => server.listen({ port, host: "0.0.0.0", exclusive: true })),
      listening(socket, () => socket.bind({ port, address: "0.0.0.0", exclusive: true })),
    ]);
    return true;
  } catch {
    return false;
  }
}

async function listening(listener: EventEmitter, listen: () => void): Promise<void> {
  const isListening = once(listener, "listening");
  listen();
  await isListening;
}
