import { PRODUCTION, type Variables } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import { type AgentDocument, withLiveFields } from "../agent-document.rules.ts";
import { liveRevision, type SavedAgent } from "../agent-state.rules.ts";

/** How a conversation reaches an agent, and the environment it requests. */
export type EntryPoint =
  /**
   * `environment` of `POST /calls` or of the campaign; `null` is production. Rejected if no environment has this name.
   */
  | { kind: "outbound_call"; environment: string | null }
  /** `environment` of the number; `null` is production, as is an environment that was deleted. */
  | { kind: "inbound_number"; environment: string | null }
  /** The environment is part of the widget's live configuration; one that was deleted is production. */
  | { kind: "widget" }
  | { kind: "sms" }
  /** `null` is the draft. Rejected if no environment has this name. */
  | { kind: "browser_test" | "test_run"; environment: string | null };

/** Configuration that a conversation runs on from its beginning to its end. */
export interface ResolvedAgent {
  id: string;
  organizationId: string;
  /** Current status, trunk and numbers; all other fields as in the revision that runs. */
  document: AgentDocument;
  /** `null` is production, or the draft in a test. */
  environment: string | null;
  /** `null` in auto mode. */
  agentRevision: number | null;
  configurationRevision: number;
  /** Variables of the agent and the environment; those of the conversation take precedence. */
  variables: Variables;
}

/** Agent fields that a call's record stores. */
export function agentColumns(agent: ResolvedAgent) {
  const { id: agentId, organizationId, agentRevision, configurationRevision, environment, document } = agent;
  const { postCallWebhookUrl } = document;
  return { organizationId, agentId, agentRevision, configurationRevision, environment, postCallWebhookUrl };
}

export interface PinnedEnvironment {
  name: string;
  /** `null` is the draft. */
  revision: number | null;
  variables: Variables;
}

/** Named environment that the entry point requests; `undefined` for production and the draft. */
export function requestedEnvironment(entry: EntryPoint, production: AgentDocument): string | undefined {
  const name =
    entry.kind === "widget"
      ? production.widgetConfig.environment
      : entry.kind === "sms"
        ? null
        : entry.environment;
  return name === null || name === PRODUCTION ? undefined : name;
}

/**
 * Returns the number of the revision that runs. `named` is the requested environment, `undefined` if it does not exist.
 * Throws `environment_not_found` if this request itself named the environment.
 */
export function chooseRevision(
  agent: SavedAgent,
  entry: EntryPoint,
  requested: string | undefined,
  named: PinnedEnvironment | undefined,
): number {
  if (requested === undefined) return isDraftTest(entry) ? agent.revision : liveRevision(agent);
  if (named !== undefined) return named.revision ?? agent.revision;
  if (entry.kind === "inbound_number" || entry.kind === "widget") return liveRevision(agent);
  throw new AppError("environment_not_found");
}

function isDraftTest(entry: EntryPoint): boolean {
  const isTest = entry.kind === "browser_test" || entry.kind === "test_run";
  return isTest && entry.environment === null;
}

export function resolveSnapshot(
  agent: SavedAgent,
  entry: EntryPoint,
  revision: number,
  snapshot: AgentDocument,
  named: PinnedEnvironment | undefined,
): ResolvedAgent {
  const document = withLiveFields(snapshot, agent.document);
  return {
    id: agent.id,
    organizationId: agent.organizationId,
    document,
    environment: named?.name ?? null,
    agentRevision: agent.publishMode === "auto" ? null : revision,
    configurationRevision: revision,
    variables: {
      ...document.defaultVariables,
      ...(entry.kind === "browser_test" && document.testVariables),
      ...named?.variables,
    },
  };
}
