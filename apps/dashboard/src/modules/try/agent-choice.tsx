import { type Agent, type Parley, paginate } from "@parley/client";
import { sampleAgent } from "@parley/contract/sample-agent";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { LoadingLines } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { TestCall } from "../web-calls/test-call.tsx";
import { labelsOf } from "./agent-labels.rules.ts";
import "./try.css";

interface AgentChoiceProps {
  parley: Parley;
  /** The one that a link names. Without a link the newest is chosen. */
  initialAgentId: string | undefined;
}

const queryKey = ["agents", "all"];

/** The agents of the organization, one of them to be tried. */
export function AgentChoice({ parley, initialAgentId }: AgentChoiceProps) {
  const agents = useQuery({ queryKey, queryFn: async ({ signal }) => await listAgents(parley, signal) });
  const [agentId, setAgentId] = useState(initialAgentId);
  if (agents.data === undefined) {
    if (agents.error === null) return <LoadingLines label="Loading your agents" />;
    return <Problem error={agents.error} onRetry={() => void agents.refetch()} />;
  }
  // An agent that a link names is not replaced by another without a word.
  const agent = agents.data.find(({ id }) => agentId === undefined || id === agentId);
  const unknownId = agent === undefined ? agentId : undefined;
  if (agents.data.length === 0)
    return <NoAgent parley={parley} unknownId={unknownId} onCreated={setAgentId} />;
  const select = (
    <AgentSelect agents={agents.data} chosen={agent} unknownId={unknownId} onChoose={setAgentId} />
  );
  if (agent === undefined) return <section className="web-call card alone">{select}</section>;
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
  onCreated: (agentId: string) => void;
}

/** Offers a first agent to somebody who has none. */
function NoAgent({ parley, unknownId, onCreated }: NoAgentProps) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => await parley.createAgent(sampleAgent),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey });
      onCreated(id);
    },
  });
  return (
    <section className="web-call card alone">
      {unknownId !== undefined && <UnknownAgent id={unknownId} />}
      <h2>No agents yet</h2>
      <p>
        Start with a sample agent: the receptionist of a dental practice, with opening hours, prices and
        directions. Or <Link to="/agents/new">create your own</Link>.
      </p>
      {create.error !== null && <Problem error={create.error} />}
      <button
        type="button"
        className="button primary"
        disabled={create.isPending}
        onClick={() => create.mutate()}
      >
        {create.isPending ? "Creating…" : "Create a sample agent"}
      </button>
    </section>
  );
}

async function listAgents(parley: Parley, signal: AbortSignal): Promise<Agent[]> {
  const agents: Agent[] = [];
  for await (const agent of paginate((page) => parley.listAgents(page, { signal }))) agents.push(agent);
  return agents;
}
