import type { Agent, Environment, Parley, TestCallCreate } from "@parley/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useState } from "react";
import { CallIcon } from "../../ui/icons.tsx";
import { MicrophoneChoice, MicrophoneTest } from "./microphone-choice.tsx";
import { VariablesEditor } from "./variables-editor.tsx";
import { type VariableRow, rebaseRows, rowsOf, valuesOf, withValues } from "./variables.rules.ts";

interface TestCallSetupProps {
  parley: Parley;
  agent: Agent;
  /** Environment and variables to begin with. */
  initial: TestCallCreate | undefined;
  microphone: string | undefined;
  onMicrophone: (deviceId: string | undefined) => void;
  isJoining: boolean;
  onStart: (body: TestCallCreate) => void;
  onCancel: () => void;
}

/** Which environment a test call runs in, with what, and which microphone. */
export function TestCallSetup(props: TestCallSetupProps) {
  const { parley, agent, initial, microphone, onMicrophone, isJoining, onStart, onCancel } = props;
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
      <MicrophoneChoice chosen={microphone} onChoose={onMicrophone} />
      {isJoining ? (
        <button type="button" className="button" onClick={onCancel}>
          Connecting… (cancel)
        </button>
      ) : (
        <>
          <MicrophoneTest deviceId={microphone} />
          <p className="hint">{recordingNotice(agent, environment)}</p>
          <button type="submit" className="button primary">
            <CallIcon />
            Start call
          </button>
        </>
      )}
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

function recordingNotice({ recordingEnabled }: Agent, environment: string): string {
  if (environment !== "") return "The call is recorded if this environment’s version of the agent says so.";
  return recordingEnabled
    ? "The call is recorded: your voice and the agent’s."
    : "The agent’s calls are not recorded. The transcript is stored.";
}

function nameOf({ name, revision }: Environment): string {
  return revision === null ? `${name} (draft)` : `${name} (revision ${revision})`;
}
