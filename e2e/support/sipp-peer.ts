import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CapturedPacket, writePcap } from "./pcap.ts";
import { freePort } from "@parley/testing";

const DEADLINE_SECONDS = 40;

/** Begins the tables that SIPp ends with; what went wrong stands before them. */
const SCREEN_LINE = "----------";

export interface SippPeer {
  /** Where it listens on 127.0.0.1. */
  port: number;
  /** Resolves when its scenario is over; rejects with what it saw where something went otherwise. */
  done: Promise<void>;
}

/**
 * Lets SIPp play one of the scenarios under `e2e/sipp` once, against a user agent rather than the platform.
 *
 * @param calledPort the port that it calls; undefined where it waits to be called.
 */
export async function startSipp(scenario: string, calledPort?: number): Promise<SippPeer> {
  const xml = await readFile(new URL(`../sipp/${scenario}.xml`, import.meta.url), "utf8");
  return await playScenario(xml, calledPort === undefined ? {} : { calledPort });
}

/** Lets SIPp play a scenario once; `audio` stands for `{{pcap}}` in it. */
export async function playScenario(
  xml: string,
  { calledPort, audio }: { calledPort?: number; audio?: readonly CapturedPacket[] } = {},
): Promise<SippPeer> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-sipp-"));
  const file = path.join(folder, "scenario.xml");
  const pcap = path.join(folder, "audio.pcap");
  if (audio !== undefined) await writePcap(pcap, audio);
  await writeFile(file, xml.replaceAll("{{pcap}}", pcap));
  const [port, mediaPort] = [await freePort(), await freePort()];
  const target = calledPort === undefined ? [] : [`127.0.0.1:${calledPort}`, "-s", "agent"];
  const addresses = ["-i", "127.0.0.1", "-p", String(port), "-mi", "127.0.0.1", "-mp", String(mediaPort)];
  const bounds = ["-m", "1", "-nostdin", "-timeout", `${DEADLINE_SECONDS}s`, "-timeout_error", "-trace_err"];
  const child = spawn("sipp", [...target, "-sf", file, ...addresses, ...bounds], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const done = once(child, "close").then(async ([status]) => {
    await rm(folder, { recursive: true, force: true });
    if (status !== 0) throw new Error(`SIPp ended with ${String(status)}:\n${output.split(SCREEN_LINE)[0]}`);
  });
  return { port, done };
}
