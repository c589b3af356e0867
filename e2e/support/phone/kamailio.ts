import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@parley/testing";

const START_DEADLINE_MS = 10_000;
const POLL_INTERVAL_MS = 50;
const STOP_DEADLINE_MS = 3_000;

/** Configuration that relays dialogs to one server and stays in their route. */
function configuration(port: number, serverPort: number): string {
  return `#!KAMAILIO
log_stderror=yes
fork=no
disable_tcp=yes
auto_aliases=no
listen=udp:127.0.0.1:${port}
loadmodule "pv.so"
loadmodule "sl.so"
loadmodule "tm.so"
loadmodule "rr.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route() || (is_method("ACK") && t_check_trans())) { t_relay(); exit; }
    if (!is_method("ACK")) { sl_send_reply("404", "Not Here"); }
    exit;
  }
  if (is_method("INVITE")) { record_route(); }
  $du = "sip:127.0.0.1:${serverPort}";
  t_relay();
}
`;
}

/** A Kamailio between callers and a server, with Record-Route. */
export class Kamailio {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, process: ChildProcess, folder: string) {
    this.port = port;
    this.#process = process;
    this.#folder = folder;
  }

  /** @param serverPort The server's port on 127.0.0.1. */
  static async start(serverPort: number): Promise<Kamailio> {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-kamailio-"));
    const port = await freePort();
    const file = path.join(folder, "kamailio.cfg");
    await writeFile(file, configuration(port, serverPort));
    const options = ["-f", file, "-DD", "-E", "-Y", folder, "-w", folder, "-m", "16", "-M", "4"];
    const child = spawn("kamailio", options, { stdio: ["ignore", "ignore", "pipe"] });
    const kamailio = new Kamailio(port, child, folder);
    let output = "";
    child.stderr.on("data", (chunk) => (output += String(chunk)));
    const deadlineMs = performance.now() + START_DEADLINE_MS;
    while (!/ready|initialized|udp_rcv_loop|Listening on/i.test(output)) {
      if (child.exitCode !== null || performance.now() > deadlineMs) {
        await kamailio.stop();
        throw new Error(`Kamailio did not start:\n${output}`);
      }
      await sleep(POLL_INTERVAL_MS);
    }
    return kamailio;
  }

  /** Ends Kamailio. Idempotent. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      const killer = setTimeout(() => this.#process.kill("SIGKILL"), STOP_DEADLINE_MS);
      await exited;
      clearTimeout(killer);
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
