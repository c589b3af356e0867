import type { Agent, Environment, Parley, TestCallCreate } from "@parley/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useId, useState } from "react";
import { VariablesEditor } from "./variables-editor.tsx";
import { type VariableRow, rebaseRows, rowsOf, valuesOf, withValues } from "./variables.rules.ts";

interface TestSetupProps {
  parley: Parley;
  agent: Agent;
  /** Environment and variables to begin with. */
  initial: TestCallCreate | undefined;
  onStart: (body: TestCallCreate) => void;
  /** What follows in the form, with its button, for an environment; empty is the draft. */
  children: (environment: string) => ReactNode;
}

/** Which environment a test runs in, and with what. */
export function TestSetup({ parley, agent, initial, onStart, children }: TestSetupProps) {
  const [wanted, setEnvironment] = useState(initial?.environment ?? "");
  const [rows, setRows] = useState<readonly VariableRow[]>(() =>
    withValues(rowsOf(variablesOf(agent)), initial?.variables ?? {}),
  );
  useEffect(() => setRows((now) => rebaseRows(now, variablesOf(agent))), [agent]);
  const environments = useQuery({
    queryKey: ["agents", agent.id, "environments"],
    queryFn: async ({ signal }) => await parley.listEnvironments(agent.id, { signal }),
  });
  const { data } = environments;
  const environment = data === undefined ? wanted : (findEnvironment(data, wanted)?.name ?? "");
  const start = (event: FormEvent): void => {
    event.preventDefault();
    onStart({ environment: environment === "" ? null : environment, variables: valuesOf(rows) });
  };
  return (
    <form className="setup-form" onSubmit={start}>
      <EnvironmentChoice query={environments} wanted={wanted} onChoose={setEnvironment} />
      <VariablesEditor rows={rows} onChange={setRows} />
      {children(environment)}
    </form>
  );
}

interface EnvironmentChoiceProps {
  query: UseQueryResult<Environment[]>;
  /** Empty: the draft. */
  wanted: string;
  onChoose: (environment: string) => void;
}

function EnvironmentChoice({ query: { data, error }, wanted, onChoose }: EnvironmentChoiceProps) {
  const id = useId();
  const chosen = findEnvironment(data, wanted);
  const isGone = data !== undefined && wanted !== "" && chosen === undefined;
  return (
    <div className="field">
      <label htmlFor={id}>Environment</label>
      <select
        id={id}
        className="input"
        value={chosen?.name ?? ""}
        onChange={({ target }) => onChoose(target.value)}
      >
        <option value="">Draft (as saved)</option>
        {data?.map((each) => (
          <option key={each.name} value={each.name}>
            {nameOf(each)}
          </option>
        ))}
      </select>
      {isGone && <p className="hint">The environment “{wanted}” does not exist any more.</p>}
      {error !== null && (
        <p role="alert" className="hint">
          {error.message}
        </p>
      )}
    </div>
  );
}

function findEnvironment(
  environments: readonly Environment[] | undefined,
  wanted: string,
): Environment | undefined {
  return environments?.find(({ name }) => name === wanted);
}

function variablesOf({ defaultVariables, testVariables }: Agent): Agent["defaultVariables"] {
  return { ...defaultVariables, ...testVariables };
}

function nameOf({ name, revision }: Environment): string {
  return revision === null ? `${name} (draft)` : `${name} (revision ${revision})`;
}
