import { type Agent, ApiError, Parley, paginate } from "@parley/client";
import { sampleAgent } from "@parley/contract/sample-agent";
import { useCallback, useEffect, useId, useMemo, useState } from "react";
import { TestCall } from "../modules/web-calls/test-call.tsx";
import { messageOf, useLoaded } from "../ui/use-loaded.ts";
import { labelsOf } from "./agent-labels.rules.ts";

interface AgentChoiceProps {
  baseUrl: string;
  apiKey: string;
  initialAgentId: string | undefined;
  /** The key that this page remembered is not accepted any more. */
  onKeyRefused: (problem: string) => void;
}

/** The agents that a key opens, one of them to be tried. */
export function AgentChoice({ baseUrl, apiKey, initialAgentId, onKeyRefused }: AgentChoiceProps) {
  const parley = useMemo(() => new Parley({ baseUrl, apiKey }), [baseUrl, apiKey]);
  const agents = useLoaded(useCallback(async (signal) => await listAgents(parley, signal), [parley]));
  const [agentId, setAgentId] = useState(initialAgentId);
  const refusal = agents.state === "failed" && isRefusedKey(agents.error) ? agents.message : undefined;
  useEffect(() => {
    if (refusal !== undefined) onKeyRefused(refusal);
  }, [refusal, onKeyRefused]);
  if (agents.state === "loading") return <p className="card hint">Loading your agents…</p>;
  if (agents.state === "failed") {
    return (
      <div className="card alone">
        <p role="alert" className="notice error">
          {agents.message}
        </p>
        <button type="button" className="button" onClick={agents.reload}>
          Try again
        </button>
      </div>
    );
  }
  const useNew = (created: Agent): void => {
    setAgentId(created.id);
    agents.reload();
  };
  // An agent that a link names is not replaced by another without a word.
  const agent = agents.value.find(({ id }) => agentId === undefined || id === agentId);
  const unknownId = agent === undefined ? agentId : undefined;
  if (agents.value.length === 0) return <NoAgent parley={parley} unknownId={unknownId} onCreated={useNew} />;
  const select = (
    <AgentSelect agents={agents.value} chosen={agent} unknownId={unknownId} onChoose={setAgentId} />
  );
  if (agent === undefined) return <section className="card alone">{select}</section>;
  return (
    <TestCall parley={parley} agent={agent}>
      {select}
    </TestCall>
  );
}

interface AgentSelectProps {
  agents: readonly Agent[];
  chosen: Agent | undefined;
  unknownId: string | undefined;
  onChoose: (agentId: string) => void;
}

function AgentSelect({ agents, chosen, unknownId, onChoose }: AgentSelectProps) {
  const selectId = useId();
  const labels = labelsOf(agents);
  return (
    <>
      {unknownId !== undefined && <UnknownAgent id={unknownId} />}
      <div className="field">
        <label htmlFor={selectId}>Agent</label>
        <select
          id={selectId}
          className="input"
          value={chosen?.id ?? ""}
          onChange={({ target }) => onChoose(target.value)}
        >
          {chosen === undefined && (
            <option value="" disabled>
              Choose an agent
            </option>
          )}
          {agents.map(({ id }, index) => (
            <option key={id} value={id}>
              {labels[index]}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}

function UnknownAgent({ id }: { id: string }) {
  return (
    <p role="alert" className="notice warning">
      Agent <code>{id}</code> was not found. It may have been deleted, or belong to another organization.
    </p>
  );
}

interface NoAgentProps {
  parley: Parley;
  unknownId: string | undefined;
  onCreated: (agent: Agent) => void;
}

/** Offers a first agent to somebody who has none. */
function NoAgent({ parley, unknownId, onCreated }: NoAgentProps) {
  const [isCreating, setCreating] = useState(false);
  const [problem, setProblem] = useState<string>();
  const create = async (): Promise<void> => {
    setCreating(true);
    setProblem(undefined);
    try {
      onCreated(await parley.createAgent(sampleAgent));
    } catch (error) {
      setProblem(messageOf(error));
      setCreating(false);
    }
  };
  return (
    <section className="card alone">
      {unknownId !== undefined && <UnknownAgent id={unknownId} />}
      <h2>No agents yet</h2>
      <p>
        Start with a sample agent: the receptionist of a dental practice, with opening hours, prices and
        directions. Or create your own with <code>POST /v1/agents</code> (see the{" "}
        <a href="/docs">API reference</a>).
      </p>
      {problem !== undefined && (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
      <button type="button" className="button primary" disabled={isCreating} onClick={() => void create()}>
        {isCreating ? "Creating…" : "Create a sample agent"}
      </button>
    </section>
  );
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

async function listAgents(parley: Parley, signal: AbortSignal): Promise<Agent[]> {
  const agents: Agent[] = [];
  for await (const agent of paginate((page) => parley.listAgents(page, { signal }))) agents.push(agent);
  return agents;
}
