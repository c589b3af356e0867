import type { TranscriptItem } from "@parley/contract";
import { DigestAuthenticator, type IncomingInvite, parseUri } from "@parley/sip";
import type { Logger } from "pino";
import { type MediaPool, NoMediaCapacityError } from "../../call-host/media-pool.ts";
import { findLocalAddressTowards } from "../../platform/local-address.ts";
import { CallTrace, type SpanSink } from "../../platform/telemetry/call-trace.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { SourceGuard } from "../sip-trunks/source-guard.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import type { InboundNumber, PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import { CallRecorder } from "./call-recorder.ts";
import { findMediaPeer } from "./calls.rules.ts";
import type { CallsService } from "./calls.service.ts";
import { toMediaCall } from "./media-call.rules.ts";
import { PhoneCall, type ProviderNames } from "./phone-call.ts";
import { builtInVariables } from "./variables.rules.ts";

export interface CallControlOptions {
  nodeId: string;
  calls: CallsService;
  phoneNumbers: PhoneNumbersService;
  sipTrunks: SipTrunksService;
  media: MediaPool;
  /** The operator's; undefined: the address that the caller reaches us by. */
  publicAddress: string | undefined;
  /** What the calls run on, as their records name it. */
  providerNames: (llmModel: string) => ProviderNames;
  /** False while calls cannot be taken: they get 503. */
  isReady: () => boolean;
  metrics: Metrics;
  /** Undefined: nobody collects traces. */
  spans: SpanSink | undefined;
  logger: Logger;
}

/** How long a caller's side waits before it tries again while we are full or starting. */
const RETRY_AFTER_SECONDS = "5";
/** RFC 3261 §20.43: 301 stands for an incompatible network address format. */
const noIPv6Media = '301 parley "Audio is carried over IPv4 only"';
const DRAIN_POLL_MS = 100;

/** Answers what comes in over SIP, and knows the phone calls that this node holds. */
export class CallControl {
  readonly #options: CallControlOptions;
  readonly #authenticator = new DigestAuthenticator({ realm: "parley" });
  readonly #sources = new SourceGuard();
  readonly #calls = new Set<PhoneCall>();
  /** Calls between their INVITE and their record, and those that write their end. */
  readonly #running = new Set<Promise<void>>();
  #isDraining = false;

  constructor(options: CallControlOptions) {
    this.#options = options;
  }

  get activeCalls(): number {
    return this.#calls.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isTakingCalls(): boolean {
    return !this.#isDraining && this.#options.isReady();
  }

  /** Takes the call or refuses it, in its own time; never throws. */
  handleInvite(invite: IncomingInvite): void {
    if (!this.isTakingCalls) return refuseForNow(invite);
    const running = this.#handle(invite).catch((error: unknown) => {
      this.#options.logger.error({ err: error, sipCallId: invite.callId }, "a call could not be taken");
      refuseForNow(invite);
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** Refuses new calls and lets the others end; those that have not by then are hung up. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true;
    const deadline = performance.now() + deadlineMs;
    while (this.#running.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    for (const call of this.#calls) call.abandon("the node was shut down");
    await Promise.all(this.#running);
  }

  async #handle(invite: IncomingInvite): Promise<void> {
    const target = await this.#findTarget(invite);
    // contract.md, Calls: unknown number 404, disabled agent 480, billing inactive 503.
    if (target === undefined) return this.#refuseStranger(invite, 404);
    if (!(await this.#admit(invite, target))) return;
    this.#sources.admitted(invite.source.address);
    if (target.agent.document.status !== "active") return invite.reject(480);
    if (!target.organization.isBillingActive) return refuseForNow(invite);
    // Before the call is written down: a flood that we cannot take is not to fill the database.
    if (!this.#options.media.hasFreePlace) return refuseForNow(invite);
    const mediaPeer = findMediaPeer(invite.source.address, invite.body);
    if (mediaPeer === undefined) return invite.reject(488, undefined, { Warning: noIPv6Media });
    if (invite.signal.aborted) return;
    await this.#take(invite, target, mediaPeer);
  }

  /** A registrar sends calls to the user name that we registered, and leaves the number that was dialled in To. */
  async #findTarget(invite: IncomingInvite): Promise<InboundNumber | undefined> {
    for (const dialled of new Set([numberIn(invite.requestUri), numberIn(invite.to.uri)])) {
      const target = dialled && (await this.#options.phoneNumbers.findInbound(dialled));
      if (target) return target;
    }
    return undefined;
  }

  #refuseStranger(invite: IncomingInvite, status: 401 | 403 | 404, challenges?: readonly string[]): void {
    this.#sources.refused(invite.source.address);
    invite.reject(status, undefined, challenges && { "WWW-Authenticate": challenges });
  }

  /** Whether requests from here are not even read: nothing but refusals came of those before. */
  isIgnored(address: string): boolean {
    return this.#sources.isIgnored(address);
  }

  /** Whether the call may come over the number's trunk; refuses it where not. */
  async #admit(invite: IncomingInvite, { trunk, organization }: InboundNumber): Promise<boolean> {
    if (!(await this.#options.sipTrunks.mayCallFrom(trunk, invite.source.address))) {
      this.#options.logger.warn(
        { sipTrunkId: trunk.id, source: invite.source.address },
        "a call from an address that its trunk does not allow was refused",
      );
      this.#refuseStranger(invite, 403);
      return false;
    }
    if (!trunk.isInboundAuthenticated) return true;
    const credentials = await this.#options.sipTrunks.findCredentials(organization.id, trunk.id);
    const verdict = await this.#authenticator.verify(invite, (username) =>
      username === credentials?.username ? credentials.password : undefined,
    );
    // RFC 3261 §22.1: a user agent server challenges with 401.
    if (verdict.ok) return true;
    // Every caller is challenged at first; only a wrong answer is held against it.
    const isExpected = verdict.reason === "missing" || verdict.reason === "stale";
    if (isExpected) invite.reject(401, undefined, { "WWW-Authenticate": verdict.challenges });
    else this.#refuseStranger(invite, 401, verdict.challenges);
    return false;
  }

  async #take(invite: IncomingInvite, target: InboundNumber, mediaPeer: string): Promise<void> {
    const { calls, media, providerNames, metrics, spans, nodeId, logger } = this.#options;
    const { agent, number, trunk, organization } = target;
    const fromNumber = callerOf(invite);
    const at = new Date();
    const { callId, conversationId } = await calls.openInbound({
      organizationId: organization.id,
      agentId: agent.id,
      phoneNumberId: number.id,
      sipTrunkId: trunk.id,
      fromNumber,
      toNumber: number.e164,
      nodeId,
      sipCallId: invite.callId,
      agentRevision: agent.agentRevision,
      configurationRevision: agent.configurationRevision,
      environment: agent.environment,
      variables: agent.variables,
      postCallWebhookUrl: agent.document.postCallWebhookUrl,
      at,
    });
    const variables = {
      ...agent.variables,
      ...builtInVariables({
        callId,
        fromNumber: fromNumber ?? "",
        toNumber: number.e164,
        direction: "inbound",
        timezone: agent.document.timezone,
        now: at,
      }),
    };
    const { call: mediaCall, unknownVariables } = toMediaCall(
      {
        callId,
        conversationId,
        agentId: agent.id,
        environment: agent.environment,
        channel: "phone",
        fromNumber,
        toNumber: number.e164,
        variables: agent.variables,
      },
      agent.document,
      variables,
    );
    const recorder = new CallRecorder(calls, callId, logger);
    if (unknownVariables.length > 0) recorder.item(noteUnknownVariables(unknownVariables));
    const call = new PhoneCall({
      callId,
      invite,
      recorder,
      mediaAddress: this.#options.publicAddress ?? (await findLocalAddressTowards(mediaPeer)),
      openMedia: async (sampleRateHz, handlers) => {
        try {
          return await media.open({ ...mediaCall, sampleRateHz }, handlers);
        } catch (error) {
          if (error instanceof NoMediaCapacityError) refuseForNow(invite);
          throw error;
        }
      },
      providerNames: providerNames(agent.document.llmModel),
      metrics,
      trace: spans && new CallTrace(spans, callId),
      logger,
    });
    this.#calls.add(call);
    logger.info({ callId, sipCallId: invite.callId, agentId: agent.id }, "call arrived");
    await call.run().finally(() => this.#calls.delete(call));
  }
}

function refuseForNow(invite: IncomingInvite): void {
  invite.reject(503, undefined, { "Retry-After": RETRY_AFTER_SECONDS });
}

/** For whoever reads the conversation and wonders about a gap in what was said. */
function noteUnknownVariables(names: readonly string[]): TranscriptItem {
  const text = `The agent's texts name variables that have no value: ${names.join(", ")}.`;
  return { id: "unknown-variables", type: "system", text, startMs: 0, endMs: 0 };
}

function numberIn(text: string): string | undefined {
  const uri = parseUri(text);
  return uri?.scheme === "tel" ? uri.number : uri?.user;
}

/** Null where the caller withholds the number (RFC 3323). */
function callerOf(invite: IncomingInvite): string | null {
  const number = numberIn(invite.from.uri);
  return number === undefined || number.toLowerCase() === "anonymous" ? null : number;
}
