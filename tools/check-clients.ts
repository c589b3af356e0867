/**
 * `npm run check:clients`: generates clients from openapi.json with the tools that integrators use, and has each create an
 * agent, place a call and list calls at a real server. Verifies requests of tools with the libraries that receivers use.
 * Needs Python 3.11, Go and Java, and the registries of npm and PyPI; not part of `npm test`.
 *
 * `npm run check:clients -- python` runs only that client; `python`, `typescript`, `go`, `lint` and `schemathesis` are the choices. `lint` checks openapi.json
 * with Spectral and Redocly, whose warnings fail; `schemathesis` sends generated requests to every operation.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { createWebhookTool, type WebhookTool } from "../apps/server/src/custom-tools/webhook-tool.ts";
import { createTestServer, type TestServer } from "../apps/server/src/modules/testing.ts";
import { OutboundClient } from "../apps/server/src/platform/outbound-http/outbound-client.ts";

const OPENAPI = path.resolve("openapi.json");
const SOURCES = path.resolve("tools/clients");
const STEP_DEADLINE_MS = 600_000;

/** Five minutes for all operations on a busy machine; a step ends at its deadline. The seed makes runs comparable. */
const SCHEMATHESIS_AMOUNT = ["--max-examples", "8", "--phases", "examples,coverage,fuzzing", "--seed", "18"];
const OPERATOR_KEY = "operator-key-of-the-check-of-clients";

type Run = (command: string, ...args: string[]) => Promise<void>;

/** Steps of each client in an empty folder, with the variables of the server in the environment. */
const clients: Readonly<
  Record<string, (folder: string, run: Run, server: NodeJS.ProcessEnv) => Promise<void>>
> = {
  python: async (folder, run) => {
    const bin = path.join(folder, "venv", "bin");
    const tools = ["openapi-python-client==0.29.1", "svix==2.9.1", "standardwebhooks==1.1.0"];
    await run("python3", "-m", "venv", "venv");
    await run(path.join(bin, "pip"), "install", "--quiet", ...tools);
    const target = ["--output-path", "parley_api", "--meta", "none"];
    await run(path.join(bin, "openapi-python-client"), "generate", "--path", OPENAPI, ...target);
    await copyFile(path.join(SOURCES, "python/client.py"), path.join(folder, "client.py"));
    await run(path.join(bin, "python"), "client.py");
  },
  typescript: async (folder, run) => {
    const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "svix@1.99.1"];
    const compiler = ["typescript@5.9.3", "@types/node@24"];
    await writeFile(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
    await run(
      "npm",
      "install",
      "--no-audit",
      "--no-fund",
      "--silent",
      ...packages,
      ...compiler,
      "standardwebhooks@1.1.1",
    );
    await run("npx", "openapi-typescript", OPENAPI, "--output", "parley-api.ts");
    await copyFile(path.join(SOURCES, "typescript/client.ts"), path.join(folder, "client.ts"));
    await run("npx", "tsc", "--strict", "--module", "nodenext", "--target", "esnext", "client.ts");
    await run("node", "client.js");
  },
  lint: async (folder, run) => {
    await writeFile(path.join(folder, "package.json"), '{ "private": true }');
    const linters = ["@stoplight/spectral-cli@6.16.3", "@redocly/cli@2.77.0"];
    await run("npm", "install", "--no-audit", "--no-fund", "--silent", ...linters);
    const rules = path.resolve(".spectral.yaml");
    await run("npx", "spectral", "lint", "--ruleset", rules, "--fail-severity", "hint", OPENAPI);
    await run("npx", "redocly", "lint", "--config", path.resolve("redocly.yaml"), OPENAPI);
  },
  schemathesis: async (folder, run, serverVariables) => {
    const bin = path.join(folder, "venv", "bin");
    await run("python3", "-m", "venv", "venv");
    await run(path.join(bin, "pip"), "install", "--quiet", "schemathesis==4.32.5");
    const { PARLEY_ORIGIN = "", PARLEY_API_KEY = "" } = serverVariables;
    const keys: Readonly<Record<string, string>> = { "/v1": PARLEY_API_KEY, "/operator/v1": OPERATOR_KEY };
    for (const [base, document] of await splitByServer()) {
      const file = path.join(folder, `openapi${base.replaceAll("/", "-")}.json`);
      await writeFile(file, JSON.stringify(document));
      // Valid requests may name resources that do not exist.
      const skipped = ["--exclude-checks", "positive_data_acceptance"];
      const key = keys[base];
      const header = key === undefined ? [] : ["--header", `x-api-key: ${key}`];
      const target = ["--url", PARLEY_ORIGIN + base, ...header];
      await run(path.join(bin, "st"), "run", file, ...target, ...skipped, ...SCHEMATHESIS_AMOUNT);
    }
  },
  go: async (folder, run) => {
    const bin = path.join(folder, "venv", "bin");
    await run("python3", "-m", "venv", "venv");
    await run(path.join(bin, "pip"), "install", "--quiet", "openapi-generator-cli==7.26.0");
    const options = [
      "--additional-properties=packageName=parley,withGoMod=false",
      "-g",
      "go",
      "-o",
      "parley",
    ];
    await run(path.join(bin, "openapi-generator-cli"), "generate", "-i", OPENAPI, ...options);
    // Generated tests need a module that the client does not.
    await rm(path.join(folder, "parley/test"), { recursive: true, force: true });
    await writeFile(path.join(folder, "parley/go.mod"), "module example.com/parley\n\ngo 1.23\n");
    await mkdir(path.join(folder, "parley/cmd"));
    await copyFile(path.join(SOURCES, "go/main.go"), path.join(folder, "parley/cmd/main.go"));
    await run("go", "-C", "parley", "run", "./cmd");
  },
};

interface OpenApiDocument {
  paths: Record<string, { servers?: { url: string }[] }>;
}

/** The operations of each server: those of organizations, of the operator and of signing in have their own base paths. */
async function splitByServer(): Promise<Map<string, OpenApiDocument>> {
  const document = JSON.parse(await readFile(OPENAPI, "utf8")) as OpenApiDocument;
  const byServer = Map.groupBy(
    Object.entries(document.paths),
    ([, { servers }]) => servers?.[0]?.url ?? "/v1",
  );
  return new Map(
    [...byServer].map(([base, paths]) => [base, { ...document, paths: Object.fromEntries(paths) }]),
  );
}

async function runIn(
  folder: string,
  variables: NodeJS.ProcessEnv,
  command: string,
  args: string[],
): Promise<void> {
  const options = { cwd: folder, env: { ...process.env, ...variables }, timeout: STEP_DEADLINE_MS };
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

interface SentRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request of a tool by each method, signed as in a call. */
async function recordToolRequests({ modules, organizationId }: TestServer): Promise<object> {
  const requests: SentRequest[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const { secret } = await modules.signingSecrets.rotate(organizationId);
  const client = new OutboundClient({ isPrivateAllowed: true });
  const conversation = {
    callId: randomUUID(),
    conversationId: randomUUID(),
    agentId: randomUUID(),
    environment: null,
    channel: "phone",
    fromNumber: null,
    toNumber: null,
    isTest: true,
    variables: {},
  } as const;
  for (const method of ["GET", "POST", "DELETE"] as const) {
    const tool: WebhookTool = {
      id: randomUUID(),
      name: "look_up",
      description: "",
      inputSchema: { type: "object" },
      isAsync: false,
      method,
      url: `http://127.0.0.1:${port}/orders?version=7`,
      headers: [],
      queryParams: [],
      isRawBody: false,
    };
    const sign = modules.toolSigning.signerFor(organizationId);
    const { signal } = new AbortController();
    const input = { number: "7", city: "Köln & Bonn" };
    await createWebhookTool(tool, conversation, client, sign).execute(input, {
      toolCallId: "call_7",
      signal,
    });
  }
  await client.close();
  receiver.close();
  return { secret, requests };
}

async function main(names: readonly string[]): Promise<void> {
  const server = await createTestServer({ operatorApiKey: OPERATOR_KEY });
  const folder = await mkdtemp(path.join(tmpdir(), "parley-clients-"));
  try {
    await server.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.app.server.address() as AddressInfo;
    const trunk = { friendlyName: "Trunk", proxyAddress: "127.0.0.1" };
    const { id: trunkId } = await server.modules.sipTrunks.create(server.organizationId, trunk);
    const signed = path.join(folder, "signed.json");
    await writeFile(signed, JSON.stringify(await recordToolRequests(server)));
    const variables = {
      PARLEY_ORIGIN: `http://127.0.0.1:${port}`,
      PARLEY_URL: `http://127.0.0.1:${port}/v1`,
      PARLEY_API_KEY: server.apiKey,
      PARLEY_TRUNK_ID: trunkId,
      PARLEY_SIGNED: signed,
    };
    for (const name of names) {
      const own = path.join(folder, name);
      await mkdir(own);
      const run: Run = async (command, ...args) => await runIn(own, variables, command, args);
      await clients[name]?.(own, run, variables);
      process.stdout.write(`ok   ${name}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await server.close();
  }
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(clients, name));
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${Object.keys(clients).join(", ")}`);
await main(asked.length > 0 ? asked : Object.keys(clients));
