import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { TestAuthority } from "../../../packages/sip/src/testing/certificates.ts";
import { createAgent } from "../../support/platform/agents.ts";
import { freePort } from "@parley/testing";
import { Platform } from "../../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../../support/platform/scripted-providers.ts";
import { hostileArguments } from "./hostile-arguments.ts";
import { HostileCustomer } from "./hostile-customer.ts";

const QUESTION = "When is the club house open?";
export const ANSWER = "It is open on Saturday.";

interface AgentWithNumber {
  agentId: string;
  number: string;
}

/**
 * A whole node as an operator starts it, with its environment: providers, a certificate, a customer's server,
 * agents.
 */
export class FuzzedNode {
  readonly platform: Platform;
  readonly tlsPort: number;
  readonly webRtcPort: number;
  /** The server whose pre-call webhook answers are attacks. */
  readonly customer: HostileCustomer;
  /** Agents by purpose. */
  readonly agents: Readonly<Record<"bystander" | "victim" | "preCall" | "tools", AgentWithNumber>>;
  /** The node's ports for the audio of the bystanders' phone calls. */
  bystanderPorts: readonly number[] = [];
  readonly #close: () => Promise<void>;

  static async start(): Promise<FuzzedNode> {
    const closers: (() => unknown)[] = [];
    const close = async (): Promise<void> => {
      for (const each of closers.toReversed()) await each();
    };
    try {
      const providers = await startScriptedProviders(QUESTION, reply);
      closers.push(providers.close);
      const customer = await HostileCustomer.start();
      closers.push(() => customer.close());
      const folder = await mkdtemp(path.join(tmpdir(), "parley-fuzz-"));
      closers.push(async () => await rm(folder, { recursive: true, force: true }));
      const ports = { tls: await freePort(), webRtc: await freePort() };
      const platform = await Platform.start({ env: await environment(folder, ports, providers) });
      closers.push(async () => await platform.stop());
      const agents = await createAgents(platform, customer);
      // The first request for a page loads or bundles its contents, once per process; it happens before the
      // attack.
      for (const page of ["/reference/js/scalar.js", "/try", "/openapi.json"])
        await (await fetch(`${platform.url}${page}`)).arrayBuffer();
      return new FuzzedNode({ platform, ports, customer, agents, close });
    } catch (error) {
      await close();
      throw error;
    }
  }

  private constructor(parts: {
    platform: Platform;
    ports: { tls: number; webRtc: number };
    customer: HostileCustomer;
    agents: FuzzedNode["agents"];
    close: () => Promise<void>;
  }) {
    this.platform = parts.platform;
    this.tlsPort = parts.ports.tls;
    this.webRtcPort = parts.ports.webRtc;
    this.customer = parts.customer;
    this.agents = parts.agents;
    this.#close = parts.close;
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

/** Answers a question. If the agent has tools, calls one of them with hostile arguments. */
function reply({ messages, tools }: ScriptedChatRequest): ScriptedChatReply {
  const custom = tools.filter((name) => name.startsWith("fuzz"));
  const name = custom[messages.length % custom.length];
  if (name === undefined || messages.at(-1)?.role === "tool") return { text: ANSWER };
  return { toolCalls: [{ name, input: hostileArguments(messages.length) }] };
}

async function environment(
  folder: string,
  ports: { tls: number; webRtc: number },
  providers: ScriptedProviders,
): Promise<Record<string, string>> {
  const authority = await TestAuthority.create();
  const { certificate, privateKey } = await authority.issue({ alternativeNames: ["IP:127.0.0.1"] });
  await authority.remove();
  const [certificateFile, keyFile] = [path.join(folder, "server.pem"), path.join(folder, "server.key")];
  await writeFile(certificateFile, certificate);
  await writeFile(keyFile, privateKey);
  return {
    ...providers.env,
    PARLEY_SIP_TLS_PORT: String(ports.tls),
    PARLEY_SIP_TLS_CERT: certificateFile,
    PARLEY_SIP_TLS_KEY: keyFile,
    PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
    // One process runs the bystanders' calls and the attacked ones, on one WebRTC port.
    PARLEY_MEDIA_PROCESSES: "1",
    PARLEY_WEBRTC_PORTS: String(ports.webRtc),
    // SIGUSR1 opens an inspector, with which `live-heap.ts` measures memory.
    NODE_OPTIONS: "--inspect-port=127.0.0.1:0",
  };
}

async function createAgents(platform: Platform, customer: HostileCustomer): Promise<FuzzedNode["agents"]> {
  const silenceEndCallTimeoutSeconds = 600;
  const turnTimeoutSeconds = 60;
  const firstMessage = "Good day.";
  // The scripted server's voice: local speech would exhaust the processor first.
  const lasting = { silenceEndCallTimeoutSeconds, turnTimeoutSeconds, firstMessage, voiceId: null };
  return {
    bystander: await createAgent(platform, lasting),
    victim: await createAgent(platform, lasting),
    preCall: await createAgent(platform, { ...lasting, preCallWebhookUrl: `${customer.url}/pre` }),
    tools: await createAgent(platform, lasting),
  };
}
