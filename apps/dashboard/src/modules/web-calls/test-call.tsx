import type { Agent, Parley, TestCallCreate, WebCall } from "@parley/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CallControls } from "./call-controls.tsx";
import { CallRecord } from "./call-record.tsx";
import { explainEnd, isOrdinaryEnd } from "./end-reasons.ts";
import { InstructionForm } from "./instruction-form.tsx";
import { Latency } from "./latency.tsx";
import { ModelHint } from "./model-hint.tsx";
import { TestCallSetup } from "./test-call-setup.tsx";
import "./controls.css";
import "./test-call.css";
import { Transcript } from "./transcript.tsx";
import { useCallRecord } from "./use-call-record.ts";
import { useCallChanges, useWebCall } from "./use-web-call.ts";

interface TestCallProps {
  parley: Parley;
  agent: Agent;
  /** Environment and variables to begin with. */
  initial?: TestCallCreate | undefined;
  /** Shown above the settings of a call. */
  children?: ReactNode;
}

/** Test of an agent: the settings, the call, and its record. Side by side if there is room, else below each other. */
export function TestCall(props: TestCallProps) {
  return (
    <div className="test-call-frame">
      <TestCallParts {...props} />
    </div>
  );
}

function TestCallParts({ parley, agent, initial, children }: TestCallProps) {
  const { joining, join, cancel } = useWebCall();
  const [microphone, setMicrophone] = useState<string>();
  const [last, setLast] = useState(initial);
  const start = (body: TestCallCreate): void => {
    setLast(body);
    void join(async (signal) => await parley.startTestCall(agent.id, body, { signal }), microphone);
  };
  const setup = (
    <>
      {children}
      <ModelHint parley={parley} llmModel={agent.llmModel} />
      <TestCallSetup
        key={agent.id}
        initial={last}
        parley={parley}
        agent={agent}
        microphone={microphone}
        onMicrophone={setMicrophone}
        isJoining={joining.phase === "joining"}
        onStart={start}
        onCancel={cancel}
      />
    </>
  );
  if (joining.phase === "joined") {
    return (
      <JoinedCall
        {...joining}
        key={joining.callId}
        microphone={microphone}
        onMicrophone={setMicrophone}
        parley={parley}
        setup={setup}
      />
    );
  }
  return (
    <div className="web-call test-call">
      <section className="card side" aria-label="Call">
        {joining.phase === "failed" && (
          <p role="alert" className="notice error">
            {joining.message}
          </p>
        )}
        {setup}
      </section>
      <Invitation agent={agent} />
    </div>
  );
}

/** Stands in for the conversation before the call. */
function Invitation({ agent }: Pick<TestCallProps, "agent">) {
  return (
    <section className="card conversation empty" aria-label="Conversation">
      <div className="orb" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
      <p>
        Talk to <strong>{agent.name}</strong> from here.
      </p>
      <p className="hint">
        Transfers and the agent’s keypad tones are simulated: no phone rings. The call is stored with its
        transcript
        {agent.recordingEnabled && " and its recording"}.
      </p>
    </section>
  );
}

interface JoinedCallProps {
  call: WebCall;
  callId: string;
  startedAtMs: number;
  microphone: string | undefined;
  onMicrophone: (deviceId: string | undefined) => void;
  parley: Parley;
  /** Shown again when the call is over. */
  setup: ReactNode;
}

function JoinedCall(props: JoinedCallProps) {
  const { call, callId, startedAtMs, microphone, onMicrophone, parley, setup } = props;
  useCallChanges(call);
  const { end } = call;
  const record = useCallRecord(parley, callId, end !== undefined);
  const instruct = async (instruction: string, speak: boolean): Promise<void> => {
    await parley.instructCall(callId, { instruction, speak });
  };
  const conversation = (
    <section className="card conversation" aria-labelledby="conversation-title">
      <h2 id="conversation-title">Conversation</h2>
      <Transcript items={call.transcript} speech={call.speech} />
      {end === undefined && <InstructionForm onInstruct={instruct} />}
    </section>
  );
  if (end === undefined) {
    return (
      <div className="web-call test-call in-call">
        <section className="card side" aria-label="Call">
          <CallControls
            call={call}
            startedAtMs={startedAtMs}
            isRecorded={record.call?.recordingStatus === "pending"}
            microphone={microphone}
            onMicrophone={onMicrophone}
          />
        </section>
        {conversation}
        <Latency turns={call.turns} />
      </div>
    );
  }
  return (
    <div className="web-call test-call ended">
      <div className="column">
        <section className="card side" aria-label="Ended call">
          <Ending end={end} />
          <CallRecord callId={callId} transcript={call.transcript} record={record} />
        </section>
        <Latency turns={call.turns} />
        <section className="card side again" aria-label="Call again">
          <h2>Call again</h2>
          {setup}
        </section>
      </div>
      {conversation}
    </div>
  );
}

function Ending({ end }: { end: NonNullable<WebCall["end"]> }) {
  const ending = useRef<HTMLDivElement>(null);
  // The button that ended the call is gone, and the focus with it.
  useEffect(() => ending.current?.focus(), []);
  return (
    <div ref={ending} role="status" tabIndex={-1} className={isOrdinaryEnd(end) ? "notice" : "notice error"}>
      <p>{explainEnd(end)}</p>
    </div>
  );
}
