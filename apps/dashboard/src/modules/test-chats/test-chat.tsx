import type { Agent, Parley, TestChatCreate } from "@parley/client";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Problem } from "../../ui/problem.tsx";
import { InstructionForm } from "../web-calls/instruction-form.tsx";
import { ModelHint } from "../web-calls/model-hint.tsx";
import { TestSetup } from "../web-calls/test-setup.tsx";
import { Transcript } from "../web-calls/transcript.tsx";
import { WriteForm } from "../web-calls/write-form.tsx";
import "../web-calls/controls.css";
import "../web-calls/test-call.css";
import "./test-chat.css";
import { useTestChat } from "./use-test-chat.ts";

const LONGEST = 4000;

interface TestChatProps {
  parley: Parley;
  agent: Agent;
  /** Shown above the settings of a chat. */
  children?: ReactNode;
}

/** Test of an agent by text: the settings, then the chat. */
export function TestChat({ parley, agent, children }: TestChatProps) {
  const [last, setLast] = useState<TestChatCreate>();
  const chat = useMutation({
    mutationFn: async (body: TestChatCreate) => await parley.startTestChat(agent.id, body),
    onMutate: setLast,
  });
  return (
    <div className="test-call-frame">
      <div className="web-call test-chat">
        {chat.data === undefined ? (
          <section className="card side" aria-label="Chat">
            {chat.error !== null && <Problem error={chat.error} />}
            {children}
            <ModelHint parley={parley} llmModel={agent.llmModel} />
            <TestSetup parley={parley} agent={agent} initial={last} onStart={(body) => chat.mutate(body)}>
              {() => (
                <>
                  <p className="hint">
                    The agent answers as on a web page. Messages that it would send elsewhere are simulated.
                  </p>
                  <button type="submit" className="button primary" disabled={chat.isPending}>
                    Start chat
                  </button>
                </>
              )}
            </TestSetup>
          </section>
        ) : (
          <OpenChat
            key={chat.data.id}
            parley={parley}
            conversationId={chat.data.id}
            onLeave={() => chat.reset()}
          />
        )}
      </div>
    </div>
  );
}

interface OpenChatProps {
  parley: Parley;
  conversationId: string;
  onLeave: () => void;
}

function OpenChat({ parley, conversationId, onLeave }: OpenChatProps) {
  const { items, reply, activity, isFailed, hasEnded, problem } = useTestChat(parley, conversationId);
  const isOver = hasEnded || problem !== undefined;
  const send = async (text: string): Promise<string> => {
    await parley.sendChatMessage(conversationId, { text });
    return "";
  };
  const instruct = async (instruction: string, speak: boolean): Promise<void> => {
    await parley.instructConversation(conversationId, { instruction, speak });
  };
  return (
    <section className="card conversation" aria-labelledby="chat-title">
      <div className="chat-heading">
        <h2 id="chat-title">Chat</h2>
        <button type="button" className="button" onClick={onLeave}>
          New chat
        </button>
      </div>
      <Transcript
        items={items}
        speech={reply && { id: reply.messageId, role: "agent", text: reply.text, startMs: Infinity }}
      />
      <div className="chat-foot">
        <p role="status" className="hint">
          {activity === "working" && "The agent waits for a tool…"}
          {activity === "writing" && "The agent is writing…"}
          {isFailed && "The agent did not answer. Write again, or look at its language model."}
          {hasEnded && "The chat has ended."}
        </p>
        {problem !== undefined && (
          <p role="alert" className="notice error">
            {problem}
          </p>
        )}
        {!isOver && (
          <>
            <WriteForm
              label="Message to the agent"
              placeholder="Write to the agent…"
              maxLength={LONGEST}
              onSend={send}
            />
            <details>
              <summary>Instruct the agent</summary>
              <InstructionForm onInstruct={instruct} />
            </details>
          </>
        )}
      </div>
    </section>
  );
}
