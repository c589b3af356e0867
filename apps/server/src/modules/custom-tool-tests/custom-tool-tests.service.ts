import { randomUUID } from "node:crypto";
import type { CustomToolTest, Variables } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import { createWebhookTool, type ToolConversation } from "../../custom-tools/webhook-tool.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { OutboundClient, OutboundRequest } from "../../platform/outbound-http/outbound-client.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import { setBuiltInVariables } from "../conversations/setup/variables.rules.ts";
import { renderTool } from "../conversations/setup/webhook-tool.rules.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";

export interface CustomToolCall {
  organizationId: string;
  agentId: string;
  toolId: string;
  arguments: Record<string, unknown>;
  variables: Variables;
  /** `null` is the draft. */
  environment: string | null;
}

export interface CustomToolTestsOptions {
  client: Pick<OutboundClient, "send">;
  agentResolution: Pick<AgentResolution, "resolveAgent">;
  toolSigning: Pick<ToolSigning, "signerFor">;
  clock: Clock;
}

/** Calls custom tools outside conversations, with the code that conversations use. */
export class CustomToolTests {
  readonly #options: CustomToolTestsOptions;
  readonly #closing = new AbortController();

  constructor(options: CustomToolTestsOptions) {
    this.#options = options;
  }

  /** Throws `not_found` and `environment_not_found`. A failure of the tool is part of the result. */
  async test(call: CustomToolCall): Promise<CustomToolTest> {
    const { client, toolSigning } = this.#options;
    const { tool, conversation } = await this.#setUp(call);
    const exchange: Pick<CustomToolTest, "request" | "status"> = { request: null, status: null };
    const recording: Pick<OutboundClient, "send"> = {
      send: async (request) => {
        exchange.request = describe(request);
        const answer = await client.send(request);
        exchange.status = answer.status;
        return answer;
      },
    };
    const sign = toolSigning.signerFor(call.organizationId);
    const startedMs = performance.now();
    const result = await createWebhookTool(tool, conversation, recording, sign)
      .execute(call.arguments, { toolCallId: `test_${randomUUID()}`, signal: this.#closing.signal })
      .then(
        (answer) => ({ answer: typeof answer === "string" ? answer : null, problem: null }),
        (error: unknown) => {
          this.#closing.signal.throwIfAborted();
          return { answer: null, problem: errorMessage(error) };
        },
      );
    return { ...exchange, ...result, durationMs: Math.round(performance.now() - startedMs) };
  }

  async #setUp({ organizationId, agentId, toolId, environment, variables: given }: CustomToolCall) {
    const entry = { kind: "browser_test", environment } as const;
    const agent = await this.#options.agentResolution.resolveAgent(organizationId, agentId, entry);
    const tool = agent.document.customTools.find(({ id }) => id === toolId);
    if (tool === undefined) throw new AppError("not_found");
    const variables = { ...agent.variables, ...given };
    const parties = { callId: null, fromNumber: null, toNumber: null };
    const builtIn = setBuiltInVariables({
      ...parties,
      direction: "inbound",
      timezone: agent.document.timezone,
      now: this.#options.clock.now(),
    });
    const conversation: ToolConversation = {
      ...parties,
      conversationId: randomUUID(),
      agentId,
      environment: agent.environment,
      channel: "web",
      isTest: true,
      variables,
    };
    return { tool: renderTool(tool, { ...variables, ...builtIn }).tool, conversation };
  }

  /** Aborts running tests. Idempotent. */
  close(): void {
    this.#closing.abort(new Error("the node is shutting down"));
  }
}

function describe({ method, url, headers, body }: OutboundRequest): CustomToolTest["request"] {
  return { method, url, headers: { ...headers }, body: body ?? null };
}
