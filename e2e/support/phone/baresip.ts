import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { readWav, Resampler, writeWav } from "@parley/audio";
import { freePort, waitFor } from "@parley/testing";

const MODULES = "/usr/lib/baresip/modules";
const EXIT_DEADLINE_MS = 5_000;
const FIRST_SPEECH = "speech.wav";
const NEXT_SPEECH = "next-speech.wav";

export interface BaresipOptions {
  /** The caller's number. */
  from: string;
  /** Speech from the moment of the answer, 8 kHz; the call ends with it. @default silence */
  pcm?: Int16Array;
  /** Additional lines of its configuration file. */
  settings?: readonly string[];
  /** The only codec that it offers. */
  codec?: BaresipCodec;
  /** True if it requires SRTP, with keys in SDP. */
  isEncrypted?: boolean;
  /** Whether it answers calls to its number; `early` answers after sending audio while it rings. */
  isAnswering?: boolean | "early";
}

type BaresipCodec = keyof typeof sampleRatesHz;
type SampleRateHz = (typeof sampleRatesHz)[BaresipCodec];

const sampleRatesHz = { pcmu: 8000, g722: 16_000 } as const;

/** Silence, 8 kHz, longer than any call of a test. */
const QUIET = new Int16Array(8000 * 180);

/** A baresip without screen and sound card, controlled by its control port. */
export class Baresip {
  /** Its SIP port on 127.0.0.1. */
  readonly sipPort: number;
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #control: Socket;
  readonly #sampleRateHz: SampleRateHz;
  #received = "";

  static async start(options: BaresipOptions): Promise<Baresip> {
    const { from, pcm = QUIET, settings = [], codec = "pcmu", isEncrypted = false } = options;
    const answerModes = { true: "auto", early: "early", false: "manual" } as const;
    const answerMode = answerModes[`${options.isAnswering ?? false}`];
    const folder = await mkdtemp(path.join(tmpdir(), "parley-baresip-"));
    const sampleRateHz = sampleRatesHz[codec];
    await writeSpeech(path.join(folder, FIRST_SPEECH), pcm, sampleRateHz);
    const account = `<sip:${from}@127.0.0.1>;regint=0;answermode=${answerMode};audio_codecs=${codec}`;
    await writeFile(path.join(folder, "accounts"), `${account}${isEncrypted ? ";mediaenc=srtp-mand" : ""}\n`);
    const [sipPort, controlPort] = [await freePort(), await freePort()];
    const lines = [configuration(folder, sipPort, controlPort), ...settings];
    await writeFile(path.join(folder, "config"), `${lines.join("\n")}\n`);
    const child = spawn("baresip", ["-f", folder], { cwd: folder, stdio: "ignore" });
    try {
      const control = await waitFor("baresip's control port", async () => await tryToConnect(controlPort));
      return new Baresip({ child, folder, control, sipPort, sampleRateHz });
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  private constructor(parts: {
    child: ChildProcess;
    folder: string;
    control: Socket;
    sipPort: number;
    sampleRateHz: SampleRateHz;
  }) {
    this.sipPort = parts.sipPort;
    this.#process = parts.child;
    this.#folder = parts.folder;
    this.#control = parts.control;
    this.#sampleRateHz = parts.sampleRateHz;
    parts.control.on("data", (chunk) => (this.#received += String(chunk)));
    parts.control.on("error", () => {});
  }

  /** Resolves when the call is answered. */
  async dial(uri: string): Promise<void> {
    this.#command("dial", uri);
    await this.#event("CALL_ESTABLISHED");
  }

  /** Answers the ringing call. */
  async accept(): Promise<void> {
    this.#command("accept");
    await this.#event("CALL_ESTABLISHED");
  }

  /** Speaks in the call from now on, and is silent after that. */
  async say(pcm: Int16Array): Promise<void> {
    const file = path.join(this.#folder, NEXT_SPEECH);
    const speech = new Int16Array(pcm.length + QUIET.length);
    speech.set(pcm);
    await writeSpeech(file, speech, this.#sampleRateHz);
    this.#command("ausrc", `aufile,${file}`);
  }

  async hangUp(): Promise<void> {
    this.#command("hangup");
    await this.#event("CALL_CLOSED");
  }

  /** Puts the other side on hold by a re-INVITE. */
  hold(): void {
    this.#command("hold");
  }

  /** Takes the other side back from hold by a re-INVITE. */
  resume(): void {
    this.#command("resume");
  }

  /** Sends keys as telephone events, one after the other. */
  press(keys: string): void {
    this.#command("sndcode", keys);
  }

  /** Returns the keys that it has received. */
  get heardKeys(): string {
    const events = this.#received.matchAll(/"type":"CALL_DTMF_START"[^}]*"param":"([^"]*)"/g);
    return Array.from(events, ([, key]) => key).join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Ends baresip. Returns the audio that it received, 8 kHz, if it was in a call; until it first put the other side on hold. */
  async close(): Promise<Int16Array> {
    this.#control.destroy();
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill("SIGTERM");
      const killer = setTimeout(() => this.#process.kill("SIGKILL"), EXIT_DEADLINE_MS);
      await once(this.#process, "exit");
      clearTimeout(killer);
    }
    const dump = (await readdir(this.#folder)).find((name) => name.endsWith("-dec.wav"));
    const wav = dump === undefined ? undefined : readWav(await readFile(path.join(this.#folder, dump)));
    await rm(this.#folder, { recursive: true, force: true });
    if (wav === undefined) return new Int16Array(0);
    return wav.sampleRateHz === 16_000 ? new Resampler(16_000, 8000).process(wav.pcm) : wav.pcm;
  }

  #command(command: string, params = ""): void {
    const json = JSON.stringify({ command, params });
    this.#control.write(`${Buffer.byteLength(json)}:${json},`);
  }

  async #event(type: string): Promise<void> {
    await waitFor(`${type} of baresip`, () => this.#received.includes(`"type":"${type}"`));
  }
}

function configuration(folder: string, sipPort: number, controlPort: number): string {
  return `module_path ${MODULES}
sip_listen 127.0.0.1:${sipPort}
ctrl_tcp_listen 127.0.0.1:${controlPort}
net_interface 127.0.0.1
audio_source aufile,${path.join(folder, FIRST_SPEECH)}
audio_player aubridge,nobody
audio_alert aubridge,nobody
snd_path ${folder}
module g711.so
module g722.so
module srtp.so
module aufile.so
module aubridge.so
module sndfile.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
`;
}

/** Writes an audio file at the codec's rate; baresip plays no other. */
async function writeSpeech(file: string, pcm: Int16Array, sampleRateHz: SampleRateHz): Promise<void> {
  const speech = new Resampler(8000, sampleRateHz).process(pcm);
  await writeFile(file, writeWav({ sampleRateHz, channels: 1, pcm: speech }));
}

async function tryToConnect(port: number): Promise<Socket | undefined> {
  const socket = connect(port, "127.0.0.1");
  return await once(socket, "connect").then(
    () => socket,
    () => undefined,
  );
}
