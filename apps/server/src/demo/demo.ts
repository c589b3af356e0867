/**
 * `npm run demo`: starts a node on its embedded defaults, sets up an agent through the API, has a recorded caller talk to
 * it over SIP and RTP, and shows the talk as it happens. `-- --once` ends afterwards, with status 0 only if the caller
 * was understood and the answers were heard, and its figures as JSON on the last line. Without it, Parley continues to run and
 * a telephone answers calls of agents; `-- --telephone` is that telephone alone, for another Parley on this machine.
 */
import { readFile } from "node:fs/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { readWav } from "@parley/audio";
import type { CallDetail } from "@parley/contract";
import { systemClock } from "../platform/clock.ts";
import { addOllama } from "../model-providers/find-ollama.ts";
import { ConfigError, parseConfig } from "../platform/config/config.ts";
import { createLogger } from "../platform/logging/logging.ts";
import { terminalDestination } from "../platform/logging/terminal-log.ts";
import { requireWritableFolders } from "../node/folders.ts";
import { startNode } from "../node/start-node.ts";
import { callerLines, demoNumber } from "./demo-agent.ts";
import { DemoApi } from "./demo-api.ts";
import { demoApiKey } from "./demo-key.ts";
import { explainFailure } from "./failure.rules.ts";
import { ProcessorLoad } from "./processor-load.ts";
import { Telephone } from "./telephone.ts";
import { TranscriptView } from "./transcript-view.ts";

const POLL_INTERVAL_MS = 200;
/** Default, so that the demo does not change the data of `npm start`. */
const DATA_DIRECTORY = "./.parley/demo";
/** Differs from the port of SIP and those of `npm run cluster`. */
const TELEPHONE_PORT = 5170;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function readLines(): Promise<Int16Array[]> {
  const files = callerLines.map(({ recording }) => new URL(`./recordings/${recording}`, import.meta.url));
  return await Promise.all(files.map(async (file) => readWav(await readFile(file)).pcm));
}

/** Shows the call that is about to ring, until it has ended and its record is complete. */
async function followCall(api: DemoApi, since: Date, view: TranscriptView): Promise<CallDetail> {
  for (;;) {
    const call = await api.findCallSince(since);
    if (call !== undefined) {
      view.show(call);
      if (call.endedAt !== null) return call;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/** Opens a telephone that agents can call; returns its address as a trunk's `proxyAddress`. */
async function openTelephone(print: (line: string) => void): Promise<string> {
  const telephone = await Telephone.listen({
    sipPort: TELEPHONE_PORT,
    lines: await readLines(),
    onCall: (event) => print(`Telephone: ${event}.`),
  });
  return telephone.address;
}

async function main(): Promise<void> {
  if (process.argv.includes("--telephone")) {
    const address = await openTelephone(print);
    print(
      `A telephone at ${address} answers calls to any number. Set it as proxyAddress of a trunk. Ctrl-C ends it.`,
    );
    return;
  }
  const isOnce = process.argv.includes("--once");
  const environment = { PARLEY_DATA_DIR: DATA_DIRECTORY, ...process.env };
  const { config: parsed } = await addOllama(parseConfig(environment).config);
  await requireWritableFolders(parsed);
  const apiKey = parsed.bootstrapApiKey ?? (await demoApiKey(parsed.dataDirectory));
  const config = { ...parsed, bootstrapApiKey: apiKey };
  print("Starting Parley …");
  const node = await startNode(
    config,
    createLogger({ level: process.env["PARLEY_LOG_LEVEL"] ?? "warn", ...terminalDestination() }),
  );
  process.once("SIGINT", () => void node.close().finally(() => process.exit(130)));
  await node.ready;
  // Time since the process began.
  const readyMs = Math.round(performance.now());
  print(`Ready in ${(readyMs / 1000).toFixed(1)} s. A recorded caller dials ${demoNumber} …\n`);

  const [{ callWithRecordings }, { judge }] = await Promise.all([
    import("./recorded-caller.ts"),
    import("./judge.ts"),
  ]);
  const api = new DemoApi(node.httpUrl, apiKey);
  const agentId = await api.ensureAgent();
  const view = new TranscriptView(print);
  const load = new ProcessorLoad();
  const calling = callWithRecordings({ sipPort: node.sipPort, number: demoNumber, lines: await readLines() });
  const [heard, call] = await Promise.all([calling, followCall(api, systemClock.now(), view)]);
  const busyShare = load.busyShare();
  const verdict = await judge({ call, heard, inferencePath: node.inferencePath });
  view.summarize(call, verdict);
  view.explain(explainFailure(call, verdict, busyShare));

  if (isOnce) {
    await node.close();
    print(JSON.stringify({ readyMs, ...verdict, latency: call.latency, endReason: call.endReason }));
    process.exitCode = verdict.isUnderstood && verdict.isHeard ? 0 : 1;
    return;
  }
  const telephone = await openTelephone(print).catch(() => undefined);
  print(`\nParley keeps running. Ctrl-C ends it.
  Talk to it     ${node.httpUrl}/try#key=${apiKey}&agent=${agentId}
  API reference  ${node.httpUrl}/docs
  API key        ${apiKey}   (header x-api-key)
  Call it        sip:${demoNumber}@127.0.0.1:${node.sipPort}`);
  if (telephone !== undefined)
    print(
      `  It can call    any number, through a trunk with proxyAddress ${telephone}: a recorded person answers`,
    );
}

try {
  await main();
} catch (error) {
  const problems = error instanceof ConfigError ? error.problems : [errorMessage(error)];
  for (const problem of problems) process.stderr.write(`The demo cannot run: ${problem}\n`);
  process.exit(1);
}
