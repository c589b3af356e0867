import { randomUUID } from "node:crypto";
import type { ConversationChannel, TestEndReason, TestMode, TranscriptItem } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import { beginningOfFlow, type Dialogue, greetingGuidance, type TranscriptEntry } from "@parley/conversation";
import { createDialogue } from "../../../custom-tools/create-dialogue.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toStorableText } from "../../../platform/database/storable-text.ts";
import type { OutboundClient } from "../../../platform/outbound-http/outbound-client.ts";
import type { ConversationsService } from "../../conversations/conversations.service.ts";
import { replyInText, type TextReply } from "../../conversations/text/text-conversation.ts";
import type { ReplyFailureLog, ReplyFailures } from "../../conversations/text/reply-failures.ts";
import type { TextModels } from "../../conversations/text/text-models.ts";
import type { KnowledgeSearch } from "../../knowledge-bases/search/knowledge-search.ts";
import type { ToolSigning } from "../../webhooks/signing/tool-signing.ts";
import {
  AttemptFailed,
  type AttemptCarrier,
  type AttemptConversation,
  type CarriedAttempt,
} from "../engine/attempt-carrier.ts";
import { setUpTextAttempt, simulatedTools, type TextAttemptSetup } from "./text-attempt-setup.rules.ts";

/** Conversations in text at once on this node; they wait for language models most of the time. */
const MAX_AT_ONCE = 64;
/** The first search after the start loads the model. */
const KNOWLEDGE_DEADLINE_MS = 4_000;

interface TextAttemptsOptions {
  database: Database;
  conversations: Pick<ConversationsService, "create" | "appendItems" | "end">;
  toolSigning: Pick<ToolSigning, "signerFor">;
  knowledgeSearch: Pick<KnowledgeSearch, "forConversation">;
  languageModelsFor: TextModels["find"];
  replyFailures: Pick<ReplyFailureLog, "open">;
  outbound: Pick<OutboundClient, "send">;
  clock: Clock;
  /** Aborts after the longest duration of a conversation. Default: on the machine's clock. */
  startTimeout?: (ms: number) => AbortSignal;
}

const channels: Readonly<Record<Exclude<TestMode, "voice">, ConversationChannel>> = {
  chat: "web_chat",
  sms: "sms",
  web_chat: "web_chat",
};

/** Carries attempts in text. The conversations are test conversations in `/conversations`. */
export class TextAttempts implements AttemptCarrier {
  readonly modes = ["chat", "sms", "web_chat"] as const;
  readonly #options: TextAttemptsOptions;
  #running = 0;

  constructor(options: TextAttemptsOptions) {
    this.#options = options;
  }

  hasPlace(): boolean {
    return this.#running < MAX_AT_ONCE;
  }

  async requireUsable(): Promise<void> {}

  async carry(attempt: CarriedAttempt, signal: AbortSignal): Promise<AttemptConversation> {
    this.#running += 1;
    try {
      return await this.#carry(attempt, signal);
    } finally {
      this.#running -= 1;
    }
  }

  async #carry(attempt: CarriedAttempt, signal: AbortSignal): Promise<AttemptConversation> {
    const { startTimeout = (ms: number) => AbortSignal.timeout(ms) } = this.#options;
    const conversation = new TextTranscript(await this.#open(attempt), this.#options);
    const { setup, notes } = setUpTextAttempt(attempt, conversation.id, this.#options.clock.now());
    await conversation.append(notes);
    const dialogue = await this.#openDialogue(attempt, setup);
    const late = startTimeout(attempt.maxDurationSeconds * 1000);
    const talk = new Talk({
      attempt,
      setup,
      dialogue,
      conversation,
      clock: this.#options.clock,
      failures: this.#options.replyFailures.open(conversation.id),
    });
    let endReason: TestEndReason;
    try {
      endReason = await talk.hold(AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      endReason = "max_duration";
    } finally {
      dialogue.close();
      await this.#end(conversation.id);
    }
    return { transcript: conversation.items, endReason, replyMs: talk.replyMs };
  }

  /** Stores the conversation together with its id in the attempt. */
  async #open({ agent, mode, variables, note }: CarriedAttempt): Promise<{ id: string; beganAt: Date }> {
    const { database, conversations, clock } = this.#options;
    const { organizationId, id: agentId, agentRevision, configurationRevision, environment } = agent;
    const beganAt = clock.now();
    return await database.transaction(async (transaction) => {
      const { id } = await conversations.create(transaction, {
        organizationId,
        agentId,
        agentRevision,
        configurationRevision,
        environment,
        channel: mode === "voice" ? "phone" : channels[mode],
        variables,
        isTest: true,
        createdAt: beganAt,
      });
      await note({ conversationId: id }, transaction);
      return { id, beganAt };
    });
  }

  async #openDialogue(attempt: CarriedAttempt, setup: TextAttemptSetup["setup"]): Promise<Dialogue> {
    const { languageModelsFor, outbound, toolSigning, knowledgeSearch } = this.#options;
    const { organizationId, testCase } = attempt;
    return createDialogue(
      { ...setup, toolMocks: testCase.toolMocks },
      {
        models: await languageModelsFor(organizationId, setup.llmModel),
        outbound,
        sign: toolSigning.signerFor(organizationId),
        searchKnowledge: knowledgeSearch.forConversation(organizationId, setup.knowledge),
        knowledgeDeadlineMs: KNOWLEDGE_DEADLINE_MS,
        builtInTools: simulatedTools(setup),
      },
    );
  }

  async #end(id: string): Promise<void> {
    const { database, conversations, clock } = this.#options;
    await database.transaction(
      async (transaction) => await conversations.end(transaction, id, "user", clock.now()),
    );
  }
}

/** The transcript of a conversation, stored as it grows. */
class TextTranscript {
  readonly id: string;
  readonly items: TranscriptItem[] = [];
  readonly #beganAt: Date;
  readonly #options: Pick<TextAttemptsOptions, "conversations" | "clock">;

  constructor(
    { id, beganAt }: { id: string; beganAt: Date },
    options: Pick<TextAttemptsOptions, "conversations" | "clock">,
  ) {
    this.id = id;
    this.#beganAt = beganAt;
    this.#options = options;
  }

  /** @param startedAt When the first word was due. Default: now. */
  async append(entries: readonly TranscriptEntry[], startedAt?: Date): Promise<void> {
    if (entries.length === 0) return;
    const now = this.#options.clock.now();
    const toMs = (at: Date): number => Math.max(0, at.getTime() - this.#beganAt.getTime());
    const items = entries.map((entry) => ({
      ...entry,
      text: toStorableText(entry.text),
      id: randomUUID(),
      startMs: toMs(startedAt ?? now),
      endMs: toMs(now),
    }));
    this.items.push(...items);
    await this.#options.conversations.appendItems(this.id, items, now);
  }
}

interface TalkParts {
  attempt: CarriedAttempt;
  setup: TextAttemptSetup["setup"];
  dialogue: Dialogue;
  conversation: TextTranscript;
  clock: Clock;
  failures: ReplyFailures;
}

/** The turns of the tester and the agent. */
class Talk {
  readonly replyMs: number[] = [];
  readonly #parts: TalkParts;

  constructor(parts: TalkParts) {
    this.#parts = parts;
  }

  async hold(signal: AbortSignal): Promise<TestEndReason> {
    const { attempt, dialogue, conversation } = this.#parts;
    const { tester, maxTurns } = attempt;
    const greeting = await this.#greet(signal);
    if (greeting.endsConversation) return "agent_hangup";
    let heard = greeting.heard;
    for (let turns = 0; turns < maxTurns; turns++) {
      const { text, endsConversation } = await tester.next(heard, signal);
      if (text !== "") {
        const said = { type: "message", role: "user", text } as const;
        dialogue.record(said);
        await conversation.append([said]);
      }
      if (endsConversation) return "user_hangup";
      const reply = await this.#reply(signal);
      if (reply.endsConversation) return "agent_hangup";
      heard = reply.heard;
    }
    // Fixed lines end with the turn of the last one.
    const { endsConversation } =
      attempt.testCase.callerLines.length === 0
        ? { endsConversation: false }
        : await tester.next(heard, signal);
    return endsConversation ? "user_hangup" : "turn_limit";
  }

  /** The agent's first message, if it has one and speaks first, as in calls. */
  async #greet(signal: AbortSignal): Promise<Heard> {
    const { attempt, setup, dialogue, conversation } = this.#parts;
    const { firstMessage, firstMessageMode, startSpeaker } = setup.agent;
    if (attempt.mode !== "chat" || startSpeaker === "user") return SILENCE;
    if (dialogue.hasFlow) return await this.#reply(signal, beginningOfFlow(setup.agent));
    if (firstMessageMode === "generated")
      return await this.#reply(signal, { type: "continue", guidance: greetingGuidance(firstMessage) });
    if (firstMessage.trim() === "") return SILENCE;
    const said = { type: "message", role: "agent", text: firstMessage } as const;
    dialogue.record(said);
    await conversation.append([said]);
    return { heard: firstMessage, endsConversation: false };
  }

  async #reply(signal: AbortSignal, input?: Parameters<typeof replyInText>[2]): Promise<Heard> {
    const { dialogue, conversation, clock, failures } = this.#parts;
    const startedAt = clock.now();
    const startedMs = performance.now();
    const reply: TextReply = await replyInText(dialogue, signal, input, failures);
    await failures.store();
    this.replyMs.push(performance.now() - startedMs);
    await conversation.append(reply.entries, startedAt);
    signal.throwIfAborted();
    if (reply.error !== undefined)
      throw new AttemptFailed(`the agent's language model failed: ${errorMessage(reply.error)}`);
    const texts = reply.entries.flatMap((entry) => (entry.type === "message" ? [entry.text] : []));
    return { heard: texts.join(" "), endsConversation: reply.endsConversation };
  }
}

/** What the agent said, and whether it ended the conversation. */
interface Heard {
  heard: string;
  endsConversation: boolean;
}

const SILENCE: Heard = { heard: "", endsConversation: false };
