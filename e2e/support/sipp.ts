import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CapturedPacket, writePcap } from "./pcap.ts";
import { freePort } from "@parley/testing";

const DEADLINE_SECONDS = 60;
/** Begins the tables that SIPp ends with; what went wrong stands before them. */
const SCREEN_LINE = "----------";

export interface SippCall {
  /** Name of a scenario under `e2e/sipp`. */
  scenario: string;
  sipPort: number;
  number: string;
  /** Default: udp. */
  transport?: "udp" | "tcp";
  /** What stands for `{{name}}` in the scenario. */
  values: Readonly<Record<string, string | number>>;
  /** Played where the scenario says `{{pcap}}`. */
  audio?: readonly CapturedPacket[];
}

/** Lets SIPp place one call; rejects with what it saw where the call did not go as the scenario says. */
export async function runSipp(call: SippCall): Promise<void> {
  const { scenario, sipPort, number, transport = "udp", values, audio } = call;
  const folder = await mkdtemp(path.join(tmpdir(), "parley-sipp-"));
  try {
    const pcap = path.join(folder, "audio.pcap");
    if (audio !== undefined) await writePcap(pcap, audio);
    const template = await readFile(new URL(`../sipp/${scenario}.xml`, import.meta.url), "utf8");
    const file = path.join(folder, "scenario.xml");
    await writeFile(
      file,
      template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String({ pcap, ...values }[name])),
    );
    const [port, mediaPort] = [await freePort(), await freePort()];
    const options = ["-sf", file, "-s", number, "-m", "1", "-l", "1", "-i", "127.0.0.1", "-p", String(port)];
    const mode = ["-t", { udp: "u1", tcp: "t1" }[transport]];
    const media = ["-mi", "127.0.0.1", "-mp", String(mediaPort)];
    const bounds = ["-nostdin", "-timeout", `${DEADLINE_SECONDS}s`, "-timeout_error", "-trace_err"];
    const child = spawn("sipp", [`127.0.0.1:${sipPort}`, ...options, ...mode, ...media, ...bounds], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (output += String(chunk)));
    const [status] = await once(child, "close");
    if (status !== 0) throw new Error(`SIPp ended with ${String(status)}:\n${output.split(SCREEN_LINE)[0]}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
