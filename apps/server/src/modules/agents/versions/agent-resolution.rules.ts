import { PRODUCTION } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import { type AgentDocument, withLiveFields } from "../agent-document.rules.ts";
import { liveRevision, type SavedAgent } from "../agent-state.rules.ts";

/** How a conversation comes to an agent, and which environment it asks for. */
export type EntryPoint =
  /** `environment` of `POST /calls` or of the campaign; null: production. Refused where there is none of the name. */
  | { kind: "outbound_call"; environment: string | null }
  /** `environment` of the number; null, or one that is gone: production. */
  | { kind: "inbound_number"; environment: string | null }
  /** The environment stands in the widget's configuration, as it is live; one that is gone: production. */
  | { kind: "widget" }
  | { kind: "sms" }
  /** Null: the draft. Refused where there is none of the name. */
  | { kind: "browser_test" | "test_run"; environment: string | null };

/** What a conversation runs on, from its beginning to its end. */
export interface ResolvedAgent {
  id: string;
  organizationId: string;
  /** Status, trunk and numbers as they are now, everything else as in the revision that runs. */
  document: AgentDocument;
  /** Null: production, or the draft in a test. */
  environment: string | null;
  /** Null in auto mode. */
  agentRevision: number | null;
  configurationRevision: number;
  /** The agent's and the environment's; the conversation's own go over them. */
  variables: Record<string, string>;
}

/** What the record of a call keeps of the agent that takes it. */
export function recordOf(agent: ResolvedAgent) {
  const { id: agentId, organizationId, agentRevision, configurationRevision, environment, document } = agent;
  const { postCallWebhookUrl } = document;
  return { organizationId, agentId, agentRevision, configurationRevision, environment, postCallWebhookUrl };
}

export interface PinnedEnvironment {
  name: string;
  /** Null: the draft. */
  revision: number | null;
  variables: Readonly<Record<string, string>>;
}

/** Named environment that the entry point asks for; undefined for production and draft. */
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
 * The revision that runs, by number. `named` is the environment that was asked for, undefined where there is none of
 * that name. Throws `environment_not_found` where somebody named it in this very request.
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
