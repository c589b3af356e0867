import type { CallerConditions, TestCaseDefinition } from "@parley/contract";
import { standardTexts, type TesterLine } from "@parley/conversation";
import { FAST_LOCAL_VOICE } from "@parley/providers/fit";
import type { LineConditions } from "../../../media/media-protocol.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { CallSetup } from "../../active-calls/active-call-registry.ts";
import { createDocument } from "../../agents/agent-document.rules.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import { renderTemplate } from "../../conversations/setup/variables.rules.ts";
import type { CarriedAttempt } from "../engine/attempt-carrier.ts";
import { renderTesterInstructions, TESTER_END_RULES } from "../engine/tester.ts";

/** Level of each kind of noise, in dB relative to full scale. Speech on the telephone is at about -20. */
const NOISE_LEVELS_DB = { none: undefined, low: -55, medium: -45, high: -35 } as const;
/** A line that presses keys, as the contract describes it. */
const PRESS = /^\[press ([0-9*#A-Dw]{1,32})\]$/;

type TesterSettings = Pick<Config, "testerVoice" | "localSpeech">;
type TestedBy = Pick<
  CarriedAttempt,
  "agent" | "variables" | "testCase" | "testerModel" | "maxTurns" | "maxDurationSeconds"
>;

/** The tester as a caller with a voice and a language model of its own. It is no agent of the organization. */
export function createVoiceTester(
  { agent, testerModel }: Pick<TestedBy, "agent" | "testerModel">,
  settings: TesterSettings,
): ResolvedAgent {
  const { language } = agent.document;
  const document = createDocument({
    name: "Tester",
    language,
    llmModel: testerModel,
    voiceId: chooseTesterVoice(agent, settings),
    firstMessage: "",
    endCallEnabled: true,
    endCallRulesOverride: TESTER_END_RULES,
    playKeypadTouchToneEnabled: true,
  });
  return { ...agent, document };
}

/** The operator's choice, or a local voice that is not the agent's. Null: the default one. */
function chooseTesterVoice(
  { document }: Pick<ResolvedAgent, "document">,
  { testerVoice, localSpeech }: TesterSettings,
): string | null {
  if (testerVoice !== undefined) return testerVoice;
  const isLocal = localSpeech.hasTextToSpeech && /^en(-|$)/i.test(document.language);
  return isLocal && document.voiceId !== FAST_LOCAL_VOICE ? FAST_LOCAL_VOICE : null;
}

/** Turns the conversation of a caller into that of the attempt's tester. */
export function setUpVoiceTester(
  { agent, variables, testCase, maxTurns, maxDurationSeconds }: TestedBy,
  setup: CallSetup,
): CallSetup {
  const { script, callerLines, callerConditions } = testCase;
  const render = (template: string): string => renderTemplate(template, variables).text;
  const lines = callerLines.length === 0 ? undefined : callerLines.map((line) => toLine(render(line)));
  const [first] = lines ?? [];
  const { turnTimeoutSeconds: _turnTimeoutSeconds, ...voice } = setup.agent;
  return {
    ...setup,
    instructions: renderTesterInstructions(render(script), true),
    hasDoNotCallTool: false,
    sendMessage: undefined,
    agent: {
      ...voice,
      // If the agent does not begin, the tester does: otherwise both would wait.
      startSpeaker: isGreeting(agent) ? "user" : "agent",
      firstMessage: first?.type === "say" ? first.text : "You begin the conversation.",
      firstMessageMode: first?.type === "say" ? "static" : "generated",
      // Silence is the agent's to deal with.
      silenceEndCallTimeoutSeconds: maxDurationSeconds,
      maxConversationDurationSeconds: maxDurationSeconds,
      // Lines are said to their end, even if the agent goes on speaking.
      disableInterruptions: lines !== undefined || callerConditions.interruptsAfterMs !== null,
    },
    tester: {
      lines,
      maxTurns,
      silentAfterTurns: callerConditions.silentAfterTurns ?? undefined,
      fillers: fillersOf(agent, render),
      conditions: toLineConditions(callerConditions),
    },
  };
}

function isGreeting({ document }: ResolvedAgent): boolean {
  const { startSpeaker, firstMessage, firstMessageMode } = document;
  return startSpeaker === "agent" && (firstMessageMode === "generated" || (firstMessage ?? "").trim() !== "");
}

function fillersOf({ document }: ResolvedAgent, render: (template: string) => string): readonly string[] {
  const { fillers } = document.phrases;
  return fillers.length > 0 ? fillers.map(render) : standardTexts(document.language).fillers;
}

function toLine(text: string): TesterLine {
  const [, keys] = PRESS.exec(text.trim()) ?? [];
  return keys === undefined ? { type: "say", text } : { type: "press", keys };
}

function toLineConditions(conditions: CallerConditions): LineConditions {
  const { backgroundNoise, packetLossPercent, interruptsAfterMs } = conditions;
  return {
    noiseLevelDb: NOISE_LEVELS_DB[backgroundNoise],
    packetLoss: packetLossPercent / 100,
    interruptsAfterMs: interruptsAfterMs ?? undefined,
  };
}

/** Whether the tester used up its turns. */
export function isTurnLimitReached(
  { transcript }: Pick<{ transcript: readonly { type: string; role?: string }[] }, "transcript">,
  { testCase, maxTurns }: { testCase: Pick<TestCaseDefinition, "callerLines">; maxTurns: number },
): boolean {
  const { length } = testCase.callerLines;
  if (length > 0) return length > maxTurns;
  return transcript.filter(({ type, role }) => type === "message" && role === "agent").length >= maxTurns;
}
