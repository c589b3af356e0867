import { randomUUID } from "node:crypto";
import { flowStep } from "../flow/flow-machine.ts";
import type { FlowEffect, FlowEvent, FlowProgram, FlowState } from "../flow/flow-state.ts";
import { valuesOf } from "../flow/flow-state.ts";
import { renderText } from "../flow/flow-text.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { exitDefinition, judgmentForm, readForm, readingForm, toBranch, toReading } from "./model-forms.ts";
import type { Conversed, Stretch } from "./dialogue.ts";
import type { ModelPart } from "./model-stream.ts";
import {
  addMessage,
  addStep,
  addToolCall,
  addToolResult,
  type OpenReply,
  type ReplyPart,
} from "./open-reply.ts";
import type { ToolCall, ToolOutcome } from "./tool-calls.ts";

/** Model steps in one reply after which the flow waits for the caller. */
const MAX_MODEL_STEPS = 8;

/** What a flow uses of its dialogue. */
export interface FlowPorts {
  program: FlowProgram;
  /** The conversation up to now, for the model. */
  entries: () => TranscriptEntry[];
  ask: (form: ReturnType<typeof readingForm>) => AsyncGenerator<ModelPart>;
  converse: (stretch: Stretch) => AsyncGenerator<ReplyPart, Conversed>;
  /** Resolves when the reply is the actual one. Rejects if it is canceled. */
  confirmed: () => Promise<void>;
  startTool: (toolCallId: string, toolName: string, input: string) => ToolCall;
  /** The running call of an earlier reply. Its result is no longer reported separately. */
  takeLateCall: (toolCallId: string) => ToolCall | undefined;
  awaitOutcome: (call: ToolCall) => Promise<ToolOutcome>;
}

/** One reply of a flow: carries out the effects of the state machine until it waits, pauses or ends. */
export async function* followFlow(
  ports: FlowPorts,
  open: OpenReply,
  start: FlowState,
  first: FlowEvent,
): AsyncGenerator<ReplyPart, void> {
  const { program } = ports;
  let state = start;
  let event = state.phase === "called" ? yield* awaitCalled(ports, open, state) : first;
  for (let modelSteps = 0; ;) {
    const hasSpoken = open.segments.some((text) => text.trim() !== "");
    const step = flowStep(program, state, event, hasSpoken);
    const need = step.effects.at(-1);
    const calling = need?.type === "call" ? { toolCallId: `flow_${randomUUID()}` } : {};
    state = { ...step.state, ...calling };
    for (const effect of step.effects) {
      if (effect.type === "say") yield addMessage(open, effect.text);
      else if (effect.type === "note") {
        const { nodeId, text } = effect;
        const flowState = effect.state === step.state ? state : effect.state;
        yield addStep(open, { type: "flow", nodeId, text, flowState });
      }
    }
    if (need?.type === "end") return yield { type: "end", endsConversation: true };
    if (need === undefined || need.type === "wait" || modelSteps++ > MAX_MODEL_STEPS)
      return yield { type: "end", endsConversation: false };
    if (need.type === "pause") return yield { type: "end", endsConversation: false, hasMore: true };
    const answer = yield* answerTo(ports, open, state, need);
    if (answer === undefined) return yield { type: "end", endsConversation: true };
    event = answer;
  }
}

/** Gets what the flow needs; `undefined` if the model has hung up. */
async function* answerTo(
  ports: FlowPorts,
  open: OpenReply,
  state: FlowState,
  need: FlowEffect,
): AsyncGenerator<ReplyPart, FlowEvent | undefined> {
  const { program } = ports;
  switch (need.type) {
    case "read": {
      const { input, slots, asked } = need;
      const question = asked && renderText(asked.prompt, valuesOf(program, state));
      const form = readingForm(program, slots, question, ports.entries());
      const answer = yield* askInForm(ports, form);
      return { type: "read", input, reading: answer === "failed" ? undefined : toReading(answer) };
    }
    case "judge": {
      const answer = yield* askInForm(ports, judgmentForm(need.node, ports.entries()));
      return { type: "judged", branch: answer === "failed" ? undefined : toBranch(answer) };
    }
    case "call":
      return yield* callTool(ports, open, state, need);
    case "lead": {
      const { node } = need;
      const { endsConversation, exit } = yield* ports.converse({
        instructions: renderText(node.prompt, valuesOf(program, state)),
        exit: exitDefinition(program, node),
      });
      return endsConversation ? undefined : { type: "led", exit };
    }
    case "say":
    case "note":
    case "wait":
    case "pause":
    case "end":
      return { type: "go" };
  }
}

/** A failure of the model is reported, and the flow goes on by its rules. */
async function* askInForm(
  ports: FlowPorts,
  form: ReturnType<typeof readingForm>,
): AsyncGenerator<ReplyPart, Awaited<ReturnType<typeof readForm>> | "failed"> {
  try {
    return await readForm(ports.ask(form));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    yield { type: "retry", error, takenOverBy: "the flow's rules" };
    return "failed";
  }
}

async function* callTool(
  ports: FlowPorts,
  open: OpenReply,
  { toolCallId = "" }: FlowState,
  { toolName, input, say }: FlowEffect & { type: "call" },
): AsyncGenerator<ReplyPart, FlowEvent> {
  // A preview waits here until it is confirmed.
  if (!open.isConfirmed) yield { type: "wait" };
  await ports.confirmed();
  const text = JSON.stringify(input);
  // The flow awaits every tool.
  const call = { ...ports.startTool(toolCallId, toolName, text), isAsync: false };
  yield addToolCall(open, call, text);
  if (say !== "") yield addMessage(open, say);
  yield { type: "wait" };
  const outcome = await ports.awaitOutcome(call);
  yield addToolResult(open, call, outcome);
  return { type: "toolAnswered", ...outcome };
}

/** The result of a tool that an earlier reply called. */
async function* awaitCalled(
  ports: FlowPorts,
  open: OpenReply,
  { toolCallId = "" }: FlowState,
): AsyncGenerator<ReplyPart, FlowEvent> {
  const result = ports
    .entries()
    .find((entry) => entry.type === "tool_result" && entry.toolCallId === toolCallId);
  if (result?.type === "tool_result")
    return { type: "toolAnswered", output: result.text, isError: result.isError };
  const call = ports.takeLateCall(toolCallId);
  if (call === undefined) return { type: "toolAnswered", output: "the result was lost", isError: true };
  open.calls.add(call);
  yield { type: "wait" };
  const outcome = await ports.awaitOutcome(call);
  yield addToolResult(open, call, outcome);
  return { type: "toolAnswered", ...outcome };
}
