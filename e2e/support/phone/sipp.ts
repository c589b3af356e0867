import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CapturedPacket, writePcap } from "../audio/pcap.ts";
import { freePort } from "@parley/testing";

const DEADLINE_SECONDS = 120;
/** First line of the tables that SIPp prints at its end. Errors are printed before it. */
const SCREEN_LINE = "----------";
/** A scenario waits here for {@link Sipp.cue}. No platform sends this request in a call. */
const CUE_STEP = `<recv request="MESSAGE" />`;

export interface SippOptions {
  /** Port on 127.0.0.1 that SIPp calls. Default: SIPp waits for a call. */
  calledPort?: number;
  /** User part of the called URI. @default "agent" */
  number?: string;
  /** @default "udp" */
  transport?: "udp" | "tcp";
  /** Values of `{{name}}` in the scenario. */
  values?: Readonly<Record<string, string | number>>;
  /** Played by scenarios that contain `{{pcap}}`. */
  audio?: readonly CapturedPacket[];
}

/** A SIPp process that plays a scenario once. */
export class Sipp {
  /** Local port on 127.0.0.1. */
  readonly port: number;
  /** Resolves at the end of the scenario. Rejects with SIPp's errors if the call did not follow it. */
  readonly done: Promise<void>;
  /** Rejects at the end of the scenario: for a race with a step that comes before. */
  readonly endedEarly: Promise<never>;
  readonly #process: ChildProcess;
  readonly #callId: string;
  readonly #relay: TcpRelay | undefined;

  /** Plays a scenario under `e2e/sipp`. */
  static async start(scenario: string, options: SippOptions = {}): Promise<Sipp> {
    const xml = await readFile(new URL(`./scenarios/${scenario}.xml`, import.meta.url), "utf8");
    return await Sipp.play(xml, options);
  }

  /** Plays a scenario given as XML. */
  static async play(xml: string, options: SippOptions = {}): Promise<Sipp> {
    const { calledPort, number = "agent", transport = "udp", values = {}, audio } = options;
    const folder = await mkdtemp(path.join(tmpdir(), "parley-sipp-"));
    const pcap = path.join(folder, "audio.pcap");
    if (audio !== undefined) await writePcap(pcap, audio);
    const known: Record<string, string | number> = { pcap, cue: CUE_STEP, ...values };
    const file = path.join(folder, "scenario.xml");
    await writeFile(
      file,
      xml.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
        if (known[name] === undefined) throw new Error(`the scenario has no value for ${name}`);
        return String(known[name]);
      }),
    );
    const isRelayed = transport === "tcp" && calledPort !== undefined;
    const relay = isRelayed ? await TcpRelay.listen(calledPort) : undefined;
    const target = relay?.port ?? calledPort;
    // SIPp takes two more ports for video.
    const [port, mediaPort] = [await freePort(), await freePort(4)];
    const callId = randomUUID();
    const mode = ["-t", { udp: "u1", tcp: "t1" }[transport], "-cid_str", callId];
    const called = target === undefined ? [] : [`127.0.0.1:${target}`, "-s", number];
    const addresses = ["-i", "127.0.0.1", "-p", String(port), "-mi", "127.0.0.1", "-mp", String(mediaPort)];
    const bounds = ["-m", "1", "-l", "1", "-nostdin", "-timeout", `${DEADLINE_SECONDS}s`, "-timeout_error"];
    const child = spawn("sipp", [...called, "-sf", file, ...mode, ...addresses, ...bounds, "-trace_err"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Sipp({ port, child, callId, folder, relay });
  }

  private constructor(parts: {
    port: number;
    child: ChildProcess;
    callId: string;
    folder: string;
    relay: TcpRelay | undefined;
  }) {
    this.port = parts.port;
    this.#process = parts.child;
    this.#callId = parts.callId;
    this.#relay = parts.relay;
    let output = "";
    for (const stream of [parts.child.stdout, parts.child.stderr])
      stream?.on("data", (chunk) => (output += String(chunk)));
    this.done = once(parts.child, "close").then(async ([status]) => {
      parts.relay?.close();
      await rm(parts.folder, { recursive: true, force: true });
      if (status !== 0)
        throw new Error(`SIPp ended with ${String(status)}:\n${output.split(SCREEN_LINE)[0]}`);
    });
    this.endedEarly = this.done.then(() => {
      throw new Error("SIPp's scenario is over");
    });
    // A test that has already failed does not await them.
    for (const ended of [this.done, this.endedEarly]) ended.catch(() => {});
  }

  /**
   * Continues the scenario after the `{{cue}}` at which it waits. `callId`: the call that SIPp has received.
   */
  cue(callId = this.#callId): void {
    const request = [
      `MESSAGE sip:sipp@127.0.0.1:${this.port} SIP/2.0`,
      // SIPp takes a message that equals the previous one for a retransmission.
      `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK-${randomUUID()}`,
      "Max-Forwards: 70",
      "From: <sip:cue@127.0.0.1>",
      "To: <sip:sipp@127.0.0.1>",
      `Call-ID: ${callId}`,
      "CSeq: 1 MESSAGE",
      "Content-Length: 0",
      "",
      "",
    ].join("\r\n");
    if (this.#relay !== undefined) return this.#relay.inject(request);
    const socket = createSocket("udp4");
    socket.send(request, this.port, "127.0.0.1", () => socket.close());
  }

  /** Ends SIPp if it is still running. Idempotent. */
  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.done.catch(() => {});
  }
}

/** Relays the connection between SIPp and the called program, and can insert messages for SIPp. */
class TcpRelay {
  readonly port: number;
  readonly #server: Server;
  readonly #near: Socket[] = [];

  static async listen(targetPort: number): Promise<TcpRelay> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpRelay(server, targetPort);
  }

  private constructor(server: Server, targetPort: number) {
    const address = server.address();
    this.port = typeof address === "object" ? (address?.port ?? 0) : 0;
    this.#server = server;
    server.on("connection", (near) => {
      this.#near.push(near);
      const far = connect(targetPort, "127.0.0.1");
      near.pipe(far).pipe(near);
      near.on("error", () => far.destroy());
      far.on("error", () => near.destroy());
    });
  }

  inject(message: string): void {
    this.#near.at(-1)?.write(message);
  }

  close(): void {
    for (const socket of this.#near) socket.destroy();
    this.#server.close();
  }
}
