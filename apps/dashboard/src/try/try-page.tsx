import { type Agent, Parley, paginate } from "@parley/client";
import { useCallback, useId, useMemo, useState } from "react";
import { TestCall } from "../modules/web-calls/test-call.tsx";
import { useLoaded } from "../ui/use-loaded.ts";
import { storeKey } from "./api-key.ts";
import { KeyForm } from "./key-form.tsx";

interface TryPageProps {
  baseUrl: string;
  initialKey: string | undefined;
  /** That a link named; else the newest is chosen. */
  initialAgentId: string | undefined;
}

export function TryPage({ baseUrl, initialKey, initialAgentId }: TryPageProps) {
  const [apiKey, setApiKey] = useState(initialKey);
  const changeKey = useCallback((key: string | undefined) => {
    storeKey(key);
    setApiKey(key);
  }, []);
  return (
    <>
      <header className="top">
        <span className="logo" aria-hidden="true">
          <span />
          <span />
          <span />
        </span>
        <h1>Try an agent</h1>
        {apiKey !== undefined && (
          <button type="button" className="button plain" onClick={() => changeKey(undefined)}>
            Change key
          </button>
        )}
      </header>
      <main>
        {apiKey === undefined ? (
          <KeyForm baseUrl={baseUrl} onKey={changeKey} />
        ) : (
          <Agents key={apiKey} baseUrl={baseUrl} apiKey={apiKey} initialAgentId={initialAgentId} />
        )}
      </main>
    </>
  );
}

interface AgentsProps {
  baseUrl: string;
  apiKey: string;
  initialAgentId: string | undefined;
}

function Agents({ baseUrl, apiKey, initialAgentId }: AgentsProps) {
  const selectId = useId();
  const parley = useMemo(() => new Parley({ baseUrl, apiKey }), [baseUrl, apiKey]);
  const agents = useLoaded(useCallback(async (signal) => await listAgents(parley, signal), [parley]));
  const [agentId, setAgentId] = useState(initialAgentId);
  if (agents.state === "loading") return <p className="card hint">Looking for your agents…</p>;
  if (agents.state === "failed") {
    return (
      <p role="alert" className="notice error">
        {agents.message}
      </p>
    );
  }
  const agent = agents.value.find(({ id }) => id === agentId) ?? agents.value[0];
  if (agent === undefined) {
    return (
      <p className="card">
        There is no agent yet. Make one with <code>POST /v1/agents</code> (see the{" "}
        <a href="/docs">reference</a>), then load this page again.
      </p>
    );
  }
  return (
    <TestCall parley={parley} agent={agent}>
      <div className="field">
        <label htmlFor={selectId}>Agent</label>
        <select
          id={selectId}
          className="input"
          value={agent.id}
          onChange={({ target }) => setAgentId(target.value)}
        >
          {agents.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </TestCall>
  );
}

async function listAgents(parley: Parley, signal: AbortSignal): Promise<Agent[]> {
  const agents: Agent[] = [];
  for await (const agent of paginate((page) => parley.listAgents(page, { signal }))) agents.push(agent);
  return agents;
}
