import type { Agent, Environment, Parley, TestCallCreate } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useState } from "react";
import { CallIcon } from "../../ui/icons.tsx";
import { MicrophoneChoice, MicrophoneTest } from "./microphone-choice.tsx";
import { VariablesEditor } from "./variables-editor.tsx";
import { type VariableRow, rowsOf, valuesOf } from "./variables.rules.ts";

interface TestCallSetupProps {
  parley: Parley;
  agent: Agent;
  microphone: string | undefined;
  onMicrophone: (deviceId: string | undefined) => void;
  isJoining: boolean;
  onStart: (body: TestCallCreate) => void;
  onCancel: () => void;
}

/** Which environment a test call runs in, with what, and which microphone. */
export function TestCallSetup(props: TestCallSetupProps) {
  const { parley, agent, microphone, onMicrophone, isJoining, onStart, onCancel } = props;
  const environmentId = useId();
  const [environment, setEnvironment] = useState("");
  const [rows, setRows] = useState<readonly VariableRow[]>([]);
  useEffect(() => {
    setEnvironment("");
    setRows(rowsOf({ ...agent.defaultVariables, ...agent.testVariables }));
  }, [agent]);
  const environments = useQuery({
    queryKey: ["agents", agent.id, "environments"],
    queryFn: async ({ signal }) => await parley.listEnvironments(agent.id, { signal }),
  });
  const start = (event: FormEvent): void => {
    event.preventDefault();
    onStart({ environment: environment === "" ? null : environment, variables: valuesOf(rows) });
  };
  return (
    <form className="setup-form" onSubmit={start}>
      <div className="field">
        <label htmlFor={environmentId}>Environment</label>
        <select
          id={environmentId}
          className="input"
          value={environment}
          onChange={({ target }) => setEnvironment(target.value)}
        >
          <option value="">Draft (as saved)</option>
          {environments.data?.map((each) => (
            <option key={each.name} value={each.name}>
              {nameOf(each)}
            </option>
          ))}
        </select>
        {environments.error !== null && (
          <p role="alert" className="hint">
            {environments.error.message}
          </p>
        )}
      </div>
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

function recordingNotice({ recordingEnabled }: Agent, environment: string): string {
  if (environment !== "") return "The call is recorded if this environment’s version of the agent says so.";
  return recordingEnabled
    ? "The call is recorded: your voice and the agent’s."
    : "The agent’s calls are not recorded. The transcript is stored.";
}

function nameOf({ name, revision }: Environment): string {
  return revision === null ? `${name} (draft)` : `${name} (revision ${revision})`;
}
