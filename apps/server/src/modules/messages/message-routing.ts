import { AppError } from "../../platform/app-error.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { SendingConnection } from "../messaging-connections/messaging-connections.service.ts";

interface MessageRoutingOptions {
  agents: Pick<AgentsService, "listMessagingCandidates">;
  agentResolution: Pick<AgentResolution, "resolveAgent">;
}

/** Finds the agent that a message is for. Replies run production. */
export class MessageRouting {
  readonly #options: MessageRoutingOptions;

  constructor(options: MessageRoutingOptions) {
    this.#options = options;
  }

  /**
   * Returns the agent with this connection and this number: as its `messagingConfig.fromNumber`, else as one of its phone
   * numbers.
   */
  async findAgent(
    { id: connectionId, organizationId }: Pick<SendingConnection, "id" | "organizationId">,
    number: string,
  ): Promise<ResolvedAgent | undefined> {
    const ids = await this.#options.agents.listMessagingCandidates(organizationId, connectionId, number);
    const agents: ResolvedAgent[] = [];
    for (const id of ids) {
      const agent = await this.resolve(organizationId, id);
      if (agent?.document.messagingConnectionId === connectionId) agents.push(agent);
    }
    return (
      agents.find(({ document }) => document.messagingConfig.fromNumber === number) ??
      agents.find(({ document }) => document.phoneNumbers.some(({ e164 }) => e164 === number))
    );
  }

  /** `undefined` if the agent was deleted. */
  async resolve(organizationId: string, agentId: string): Promise<ResolvedAgent | undefined> {
    try {
      return await this.#options.agentResolution.resolveAgent(organizationId, agentId, { kind: "sms" });
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return undefined;
      throw error;
    }
  }
}
