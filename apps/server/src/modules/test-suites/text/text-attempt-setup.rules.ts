import {
  createDoNotCallTool,
  createKeypadTool,
  createMessageTool,
  createTransferTool,
  type DialogueTool,
  type TranscriptEntry,
} from "@parley/conversation";
import {
  type ConversationSetup,
  setUpConversation,
} from "../../conversations/setup/conversation-setup.rules.ts";
import { documentFor, forText } from "../../conversations/text/text-conversation.ts";
import { type CarriedAttempt, TESTER_NUMBER } from "../engine/attempt-carrier.ts";

export interface TextAttemptSetup {
  setup: ConversationSetup;
  /** Notes for readers of the transcript. */
  notes: TranscriptEntry[];
}

/** Sets up the agent's side: in `chat` the agent of a call without audio, otherwise that of the channel. */
export function setUpTextAttempt(
  { agent, mode, variables, testCase }: Pick<CarriedAttempt, "agent" | "mode" | "variables" | "testCase">,
  conversationId: string,
  at: Date,
): TextAttemptSetup {
  const isCall = mode === "chat";
  const channel = mode === "sms" ? "sms" : "web_chat";
  const document = isCall ? agent.document : documentFor(agent.document, channel);
  const ownNumber = document.phoneNumbers[0]?.e164 ?? null;
  const { setup, unknownVariables } = setUpConversation({
    conversationId,
    agent: { ...agent, document },
    variables,
    channel: isCall ? "phone" : channel,
    direction: "inbound",
    fromNumber: mode === "web_chat" ? null : TESTER_NUMBER,
    toNumber: mode === "web_chat" ? null : ownNumber,
    isTest: true,
    at,
  });
  const inText = forText(setup);
  const tools = new Set(setup.tools.map(({ name }) => name));
  const unused = [...new Set(testCase.toolMocks.map(({ toolName }) => toolName))].filter(
    (name) => !tools.has(name),
  );
  return {
    // Only a call's agent can hang up, press keys and transfer.
    setup: {
      ...setup,
      ...inText,
      endCall: isCall ? setup.endCall : undefined,
      keypad: isCall ? setup.keypad : undefined,
      transfer: isCall ? setup.transfer : undefined,
      conversation: { ...setup.conversation, channel },
    },
    notes: [
      ...note("The agent's configuration uses variables without a value", unknownVariables),
      ...note("The case mocks tools that the agent does not have", unused),
    ],
  };
}

/** The built-in tools of a call, without their effect outside the conversation. */
export function simulatedTools({
  keypad,
  sendMessage,
  hasDoNotCallTool,
  transfer,
}: Pick<ConversationSetup, "keypad" | "sendMessage" | "hasDoNotCallTool" | "transfer">): DialogueTool[] {
  const succeed = async (): Promise<void> => {};
  const simulate = async () => await Promise.resolve({ isTransferred: true, isSimulated: true } as const);
  return [
    ...(keypad === undefined ? [] : [createKeypadTool({ ...keypad, press: succeed })]),
    ...(hasDoNotCallTool ? [createDoNotCallTool(succeed)] : []),
    ...(sendMessage === undefined ? [] : [createMessageTool({ ...sendMessage, send: succeed })]),
    ...(transfer === undefined ? [] : [createTransferTool({ ...transfer, transfer: simulate })]),
  ];
}

function note(what: string, names: readonly string[]): TranscriptEntry[] {
  return names.length === 0 ? [] : [{ type: "system", text: `${what}: ${names.join(", ")}.` }];
}
