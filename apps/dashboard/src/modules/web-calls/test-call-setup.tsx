import type { Agent, Parley, TestCallCreate } from "@parley/client";
import { CallIcon } from "../../ui/icons.tsx";
import { MicrophoneChoice, MicrophoneTest } from "./microphone-choice.tsx";
import { TestSetup } from "./test-setup.tsx";

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
  return (
    <TestSetup parley={parley} agent={agent} initial={initial} onStart={onStart}>
      {(environment) => (
        <>
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
        </>
      )}
    </TestSetup>
  );
}

function recordingNotice({ recordingEnabled }: Agent, environment: string): string {
  if (environment !== "") return "The call is recorded if this environment’s version of the agent says so.";
  return recordingEnabled
    ? "The call is recorded: your voice and the agent’s."
    : "The agent’s calls are not recorded. The transcript is stored.";
}
