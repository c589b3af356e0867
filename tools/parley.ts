/**
 * Test suites from the command line: `npm run parley -- test --suite Orders --junit out.xml`, with an API key.
 *
 * The operator's commands: `npm run parley -- organizations create --name "Model railway club"`. They send requests to
 * `/operator/v1` of a running node, with the key in `PARLEY_OPERATOR_API_KEY`.
 */
import { type OperatorRequest, readCommand, UsageError } from "./operator/commands.ts";
import { readTestCommand } from "./test-suites/options.ts";
import { runTests } from "./test-suites/run-tests.ts";

async function main([command, ...words]: readonly string[]): Promise<void> {
  if (command === "test") await test(words);
  else await operate();
}

/** Exit status of a program that a signal ended, as shells report it. */
const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

/** The first Ctrl-C cancels the run, the second ends the program. */
async function test(words: readonly string[]): Promise<void> {
  const interrupted = new AbortController();
  let status: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => {
      status = signalStatus[name];
      interrupted.abort();
    });
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const hasPassed = await runTests(readTestCommand(words, process.env), print, interrupted.signal);
  if (status !== undefined || !hasPassed) process.exitCode = status ?? 1;
}

async function operate(): Promise<void> {
  const request = readCommand(process.argv.slice(2), process.env);
  const answer = await send(request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the node answered ${answer.status}: ${text}`);
  process.stdout.write(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
}

async function send({ method, url, apiKey, body }: OperatorRequest): Promise<Response> {
  const headers = { "x-api-key": apiKey, ...(body !== undefined && { "content-type": "application/json" }) };
  try {
    return await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  } catch (cause) {
    throw new Error(`no node answers at ${url}: start one, or name another with --url`, { cause });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
