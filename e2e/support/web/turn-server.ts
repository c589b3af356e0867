import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@parley/testing";

const START_MS = 1_000;

/** coturn on loopback, with credentials derived from a shared secret. */
export class TurnServer {
  readonly port: number;
  readonly secret: string;
  readonly #process: ChildProcess;

  private constructor(port: number, secret: string, process: ChildProcess) {
    this.port = port;
    this.secret = secret;
    this.#process = process;
  }

  static async start(): Promise<TurnServer> {
    const port = await freePort();
    const secret = "of the tests";
    const options = [
      "-n",
      "--no-cli",
      "--no-tls",
      "--no-dtls",
      "--listening-ip=127.0.0.1",
      "--relay-ip=127.0.0.1",
      `--listening-port=${port}`,
      "--allow-loopback-peers",
      "--use-auth-secret",
      `--static-auth-secret=${secret}`,
      "--realm=parley",
      "--log-file=stdout",
      "--pidfile=/dev/null",
    ];
    const child = spawn("turnserver", options, { stdio: "ignore" });
    await Promise.race([sleep(START_MS), once(child, "exit")]);
    if (child.exitCode !== null) throw new Error(`turnserver ended with ${child.exitCode}`);
    return new TurnServer(port, secret, child);
  }

  async close(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}
