import type {
  WidgetCall,
  WidgetCallCreation,
  WidgetChat,
  WidgetMessage,
  WidgetMessageCreation,
  WidgetSession,
  WidgetSessionCreation,
  WidgetSettings,
} from "@parley/contract";
import { MAX_CHAT_MESSAGE_CHARACTERS } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { joinTransaction } from "../../platform/database/joint-transaction.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution, LiveAgent } from "../agents/versions/agent-resolution.service.ts";
import { renderWelcome, type ChatsService, type LockedChat } from "../chats/chats.service.ts";
import { formatPlace, type StoredChat, type StreamPlace } from "../chats/chat-stream.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Customer, CustomersService } from "../customers/customers.service.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { Visit } from "./bind-widget-route.ts";
import type { WidgetSessionClaims, WidgetSessionTokens } from "./session-tokens.ts";
import { readUserToken } from "./user-token.rules.ts";
import type { WidgetCalls } from "./widget-calls.ts";
import type { WidgetLimits } from "./widget-limits.ts";
import { toWidgetMessage } from "./widget-message.rules.ts";
import type { WidgetSecretsService } from "./widget-secrets.service.ts";

const DAY_MS = 24 * 3600_000;
const ANONYMOUS_MS = 30 * DAY_MS;
/** After this time the page signs the user again. */
const IDENTIFIED_MS = DAY_MS;
/** Messages that a page gets after a reload. */
const MAX_MESSAGES = 200;

export interface WidgetDependencies {
  agentResolution: Pick<AgentResolution, "findByWidgetKey" | "resolveAgent">;
  organizations: Pick<OrganizationsService, "find">;
  conversations: Pick<ConversationsService, "reassign">;
  customers: CustomersService;
  chats: Pick<ChatsService, "open" | "receive" | "lockOf" | "end" | "read" | "readLatest" | "reassign">;
  secrets: Pick<WidgetSecretsService, "findSecret">;
  tokens: WidgetSessionTokens;
  limits: WidgetLimits;
  calls: WidgetCalls;
  clock: Clock;
}

interface SentMessage {
  conversationId: string;
  message: WidgetMessage;
}

/** What visitors of an agent's widget do. */
export class WidgetService {
  readonly #database: Database;
  readonly #dependencies: WidgetDependencies;

  constructor(database: Database, dependencies: WidgetDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Returns the agent as it is published; `undefined` if its widget or the agent itself is switched off. */
  async find(widgetKey: string): Promise<LiveAgent | undefined> {
    const agent = await this.#dependencies.agentResolution.findByWidgetKey(widgetKey);
    const isOn = agent?.document.widgetConfig.enabled === true && agent.document.status === "active";
    return isOn ? agent : undefined;
  }

  /** Throws `billing_inactive`. */
  async requireBilling({ organizationId }: LiveAgent): Promise<void> {
    const organization = await this.#dependencies.organizations.find(organizationId);
    if (organization?.isBillingActive !== true) throw new AppError("billing_inactive");
  }

  /** `undefined` if the token is not ours or has expired. */
  readSession(token: string): WidgetSessionClaims | undefined {
    const { tokens, clock } = this.#dependencies;
    return tokens.read(token, clock.now());
  }

  async readSettings({ agent }: Visit): Promise<WidgetSettings> {
    const { agentResolution, clock } = this.#dependencies;
    const { id, organizationId, document } = agent;
    const { modes, continuity, appearance } = document.widgetConfig;
    const running = await agentResolution.resolveAgent(organizationId, id, { kind: "widget" });
    const { agentDisplayName, welcomeMessage: _template, ...shown } = appearance;
    const welcomeMessage = renderWelcome({ ...running, document }, clock.now());
    return {
      agentName: agentDisplayName ?? document.name,
      language: document.language,
      modes,
      continuity,
      appearance: { ...shown, welcomeMessage },
      maxMessageCharacters: MAX_CHAT_MESSAGE_CHARACTERS,
    };
  }

  /** Throws `unauthorized` for an invalid `userToken`, and `rate_limited`. */
  async startSession(
    { agent, origin }: Visit,
    widgetKey: string,
    { sessionToken, userToken }: WidgetSessionCreation,
    address: string,
  ): Promise<WidgetSession> {
    const { customers, limits, tokens, clock } = this.#dependencies;
    const { id: agentId, organizationId } = agent;
    await limits.takeSession(address);
    const userId =
      userToken === undefined || userToken === null ? null : await this.#readUser(agentId, userToken);
    const previous = await this.#findPrevious(sessionToken ?? "", { widgetKey, origin });
    const isContinued = previous?.userId === userId;
    const customer =
      isContinued && previous !== undefined
        ? previous
        : await customers.ensure({ organizationId, agentId, userId });
    if (previous?.userId === null && userId !== null) await this.#adopt(previous, customer);
    const isIdentified = userId !== null;
    const validMs = isIdentified ? IDENTIFIED_MS : ANONYMOUS_MS;
    const expiresAt = new Date(clock.now().getTime() + validMs);
    const claims = { customerId: customer.id, widgetKey, origin, isIdentified, expiresAt };
    return { sessionToken: tokens.issue(claims), expiresAt: expiresAt.toISOString(), isIdentified };
  }

  async #readUser(agentId: string, userToken: string): Promise<string> {
    const { secrets, clock } = this.#dependencies;
    const secret = await secrets.findSecret(agentId);
    const reading =
      secret === undefined
        ? { problem: "the agent has no secret: create one with POST /agents/{id}/widget-secret" }
        : readUserToken(userToken, secret, clock.now());
    if ("userId" in reading) return reading.userId;
    throw new AppError("unauthorized", { message: `The userToken is refused: ${reading.problem}.` });
  }

  async #findPrevious(
    token: string,
    { widgetKey, origin }: { widgetKey: string; origin: string },
  ): Promise<Customer | undefined> {
    const claims = this.readSession(token);
    if (claims?.widgetKey !== widgetKey || claims.origin !== origin) return undefined;
    return await this.#dependencies.customers.find(claims.customerId);
  }

  /** Keeps the chat of an anonymous visitor who signs in, unless the user has an open one. */
  async #adopt(visitor: Customer, user: Customer): Promise<void> {
    const { customers, chats, conversations } = this.#dependencies;
    await joinTransaction(this.#database, async (transaction) => {
      await customers.lock(transaction, visitor.id);
      await customers.lock(transaction, user.id);
      const chat = await chats.lockOf(transaction, visitor.id);
      if (chat !== undefined && (await chats.lockOf(transaction, user.id)) === undefined) {
        await chats.reassign(transaction, chat, user.id);
        await customers.noteChat(transaction, user.id, chat.conversationId);
      }
      await conversations.reassign(transaction, visitor.id, user.id);
    });
  }

  /** Throws `forbidden` without chat mode, and `rate_limited`. */
  async send(
    { agent }: Visit,
    customerId: string,
    message: WidgetMessageCreation,
    address: string,
  ): Promise<SentMessage> {
    if (!agent.document.widgetConfig.modes.chat)
      throw new AppError("forbidden", { message: "The widget has no chat mode." });
    await this.#dependencies.limits.takeMessage(agent, address);
    return await this.#store(agent, customerId, message);
  }

  /** Stores a message in the visitor's open chat, or in a new one that runs on `fresh`. */
  async #store(
    agent: LiveAgent,
    customerId: string,
    { id, text }: WidgetMessageCreation,
    fresh?: ResolvedAgent,
  ): Promise<SentMessage> {
    const { agentResolution, customers, chats } = this.#dependencies;
    const { messagesPerDay } = agent.document.widgetConfig.limits;
    const sent = await joinTransaction(this.#database, async (transaction) => {
      const customer = await customers.countMessage(transaction, customerId);
      const chat =
        (await chats.lockOf(transaction, customerId)) ??
        (fresh && (await this.#open(transaction, fresh, customerId)));
      if (chat === undefined) {
        await customers.uncountMessage(transaction, customer);
        return undefined;
      }
      const { item, isNew } = await chats.receive(transaction, chat, { id, text });
      if (isNew) customers.requireMessages(customer, messagesPerDay);
      else await customers.uncountMessage(transaction, customer);
      return { conversationId: chat.conversationId, message: toWidgetMessage(item, chat.beganAt) };
    });
    if (sent !== undefined) return sent;
    // What a new chat runs on is resolved outside the transaction, which must not wait for it.
    const entry = { kind: "widget" } as const;
    const resolved = await agentResolution.resolveAgent(agent.organizationId, agent.id, entry);
    return await this.#store(agent, customerId, { id, text }, resolved);
  }

  async #open(transaction: Queries, agent: ResolvedAgent, visitorId: string): Promise<LockedChat> {
    const { chats, customers } = this.#dependencies;
    const { conversation, chat } = await chats.open(transaction, agent, { visitorId, isTest: false });
    await customers.noteChat(transaction, visitorId, chat.conversationId);
    return { ...chat, beganAt: new Date(conversation.createdAt) };
  }

  async readChat({ agent }: Visit, customerId: string): Promise<WidgetChat> {
    const { customers, chats } = this.#dependencies;
    const latestId = (await customers.find(customerId))?.conversationId ?? null;
    const stored =
      latestId === null ? undefined : await chats.readLatest(agent.organizationId, latestId, MAX_MESSAGES);
    if (stored === undefined)
      return { conversationId: null, endReason: null, activity: "idle", messages: [], lastEventId: null };
    const { conversationId, endReason, isReplying, items } = stored;
    const sequence = items.at(-1)?.sequence;
    const inOrder = items.map(({ item }) => item).sort((one, other) => one.startMs - other.startMs);
    return {
      conversationId,
      endReason,
      activity: isReplying ? "writing" : "idle",
      messages: inOrder.map((item) => toWidgetMessage(item, stored.beganAt)),
      lastEventId: sequence === undefined ? null : formatPlace({ conversationId, sequence }),
    };
  }

  /** Reads a visitor's latest conversation for a stream; `undefined` if there is none. */
  async read(
    organizationId: string,
    customerId: string,
    place: StreamPlace | undefined,
  ): Promise<StoredChat | undefined> {
    const { customers, chats } = this.#dependencies;
    const customer = await customers.find(customerId);
    const { conversationId = null } = customer ?? {};
    return conversationId === null ? undefined : await chats.read(organizationId, conversationId, place);
  }

  async end(customerId: string): Promise<{ conversationId: string | null }> {
    const { chats } = this.#dependencies;
    return await joinTransaction(this.#database, async (transaction) => {
      const chat = await chats.lockOf(transaction, customerId);
      if (chat !== undefined) await chats.end(transaction, chat, "user");
      return { conversationId: chat?.conversationId ?? null };
    });
  }

  /** Throws `forbidden` without voice mode, `rate_limited` and `capacity_exceeded`. */
  async startCall(
    { agent }: Visit,
    customerId: string,
    { resumeCallId }: WidgetCallCreation,
    { address, serverOrigin }: { address: string; serverOrigin: string },
  ): Promise<WidgetCall> {
    const { limits, calls } = this.#dependencies;
    const { modes, continuity } = agent.document.widgetConfig;
    if (!modes.voice) throw new AppError("forbidden", { message: "The widget has no voice mode." });
    await limits.takeCall(address);
    await this.#dependencies.customers.noteCall(customerId);
    const resumed = continuity.resumeCalls ? (resumeCallId ?? undefined) : undefined;
    return await calls.start(agent, { customerId, resumed, serverOrigin });
  }
}
