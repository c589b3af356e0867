/**
 * The operator's commands: `npm run parley -- organizations create --name "Model railway club"`. They send requests to
 * `/operator/v1` of a running node, with the key in `PARLEY_OPERATOR_API_KEY`.
 */
import { type OperatorRequest, readCommand, UsageError } from "./operator/commands.ts";

async function main(): Promise<void> {
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
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
