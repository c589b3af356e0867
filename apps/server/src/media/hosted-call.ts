import type { BriefingOutcome, NoiseSuppressionStream, VoiceConversation } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import type { CallScope } from "../platform/call-scope.ts";
import { monotonicMs } from "../platform/monotonic-clock.ts";
import type { FromMedia, ToMedia } from "./media-protocol.ts";
import { PersonLeg } from "./phone/person-leg.ts";
import { type MediaConversation, PhoneMedia } from "./phone/phone-media.ts";
import { createRingback } from "./phone/ringback.ts";
import type { WarmTransfer } from "./phone/warm-transfer.ts";
import type { RecordingSpool } from "./recording/recording-spool.ts";
import { attempt } from "./report-error.ts";
import type { TurnLog } from "./turn-logs.ts";
import { WebMedia } from "./web/web-media.ts";

/** A call's resources before its media is open. */
export interface CallParts {
  scope: CallScope;
  turnLog: TurnLog | undefined;
  conversation: VoiceConversation;
  spool: RecordingSpool | undefined;
  sampleRateHz: number;
  /** Begins an attempt at a warm transfer; `undefined` if calls of this agent are transferred cold. */
  beginWarmTransfer: (() => WarmTransfer) | undefined;
  /** Opens what removes the caller's noise for a person; `undefined` if it stays. */
  openNoiseSuppression: (() => NoiseSuppressionStream) | undefined;
  releaseProviders: () => void;
}

/** Messages for one call, except `close` and `finish`. */
type CallMessage = Exclude<
  ToMedia,
  {
    type:
      | "configure"
      | "speechFit"
      | "open"
      | "openWeb"
      | "signed"
      | "textSent"
      | "knowledgeFound"
      | "addedToDoNotCall"
      | "transferred"
      | "finish"
      | "close";
  }
>;
type TransferMessage = Extract<
  CallMessage,
  {
    type: "hold" | "openPerson" | "connectPerson" | "brief" | "bridge" | "personKey" | "endTransfer";
  }
>;
type WebMessage = Extract<ToMedia, { type: "join" | "fragment" | "live" }>;

/** Opens the media of a person to whom a phone call is transferred. */
export type OpenPerson = (audio: {
  conversation: MediaConversation;
  isIPv6: boolean;
  /** Called once when the person counts as gone. */
  onTimeout: (silentMs: number) => void;
}) => Promise<PhoneMedia>;

/** One open call of a media process: owns its conversation, its media, its turn log and its recording. */
export class HostedCall {
  readonly #callId: string;
  readonly #parts: CallParts;
  readonly #media: PhoneMedia | WebMedia;
  readonly #send: (message: FromMedia) => void;
  readonly #openPerson: OpenPerson;
  /** The person to whom the call is being transferred, or was. */
  #person: PersonLeg | undefined;
  /** The attempt at a warm transfer that is under way. */
  #warm: WarmTransfer | undefined;
  /** Aborts when the call is over, or its transfer has failed. */
  #transfer = new AbortController();

  constructor(
    callId: string,
    parts: CallParts,
    media: PhoneMedia | WebMedia,
    send: (message: FromMedia) => void,
    openPerson: OpenPerson,
  ) {
    this.#callId = callId;
    this.#parts = parts;
    this.#media = media;
    this.#send = send;
    this.#openPerson = openPerson;
  }

  /** Carries out a message. An exception ends only this call. */
  receive(message: CallMessage): void {
    this.#parts.scope.guard(() => this.#deliver(message))();
  }

  /** Resolves once the agent has said what precedes a transfer. */
  async whenSaid(signal: AbortSignal): Promise<void> {
    await this.#parts.conversation.whenSaid(signal);
  }

  /** Sends the keys to the peer. Resolves when they are sent. */
  async press(keys: string, signal: AbortSignal): Promise<void> {
    if (this.#media instanceof PhoneMedia) return await this.#media.press(keys, signal);
    // A browser call has no line for tones: the pressed keys are only reported.
    this.#parts.conversation.noteSentKeys(keys, 0);
  }

  /** Ends the conversation after an exception, which left the call in an unknown state. */
  fail(message: string): void {
    this.#attempt(() => this.#parts.conversation.end("error_internal", message));
    this.#attempt(() => this.#parts.conversation.close());
  }

  /** Ends the conversation, whose last items are sent before `finished`. */
  finish(): void {
    this.#attempt(() => this.#parts.conversation.end("user_hangup"));
    this.#send({ type: "finished", callId: this.#callId });
  }

  /** Closes all parts, even if closing one of them throws. Resolves when the turn log is written. */
  async close(): Promise<void> {
    const { scope, conversation, turnLog, spool, releaseProviders } = this.#parts;
    // Adds the speech that the hang-up interrupted to the transcript first.
    this.#attempt(() => conversation.end("user_hangup"));
    scope.end();
    this.#attempt(() => conversation.close());
    const isLogWritten = this.#attempt(() => turnLog?.close());
    this.#attempt(() => this.#endTransfer());
    const statistics = this.#attempt(() => this.#media.statistics);
    this.#attempt(() => this.#media.close());
    this.#attempt(() => void spool?.close());
    releaseProviders();
    this.#send({ type: "closed", callId: this.#callId, statistics });
    await isLogWritten;
  }

  #deliver(message: CallMessage): void {
    const media = this.#media;
    switch (message.type) {
      case "connect":
        if (media instanceof PhoneMedia) media.connect(message.path);
        return;
      case "start":
        if (media instanceof PhoneMedia) media.start();
        return;
      case "confirm":
        if (media instanceof PhoneMedia) media.confirm();
        return;
      case "key":
        if (media instanceof PhoneMedia) media.hearKey(message.digit);
        return;
      case "join":
      case "fragment":
      case "live":
        if (media instanceof WebMedia) this.#parts.scope.run(() => this.#deliverWeb(message, media));
        return;
      case "instruct": {
        const { callId, instructionId, instruction, expiresAtMs } = message;
        const isTaken = monotonicMs() < expiresAtMs && this.#parts.conversation.instruct(instruction);
        return this.#send({ type: "instructed", callId, instructionId, isTaken });
      }
      case "noteTransfer":
        return this.#parts.conversation.noteTransfer(message.text);
      case "hold":
      case "openPerson":
      case "connectPerson":
      case "brief":
      case "bridge":
      case "personKey":
      case "endTransfer":
        if (media instanceof PhoneMedia) this.#deliverTransfer(message, media);
        return;
    }
  }

  #deliverTransfer(message: TransferMessage, media: PhoneMedia): void {
    switch (message.type) {
      case "hold":
        this.#warm = this.#parts.beginWarmTransfer?.();
        return media.divert(this.#warm?.hold ?? createRingback(this.#parts.sampleRateHz));
      case "openPerson":
        return void this.#addPerson(media, message.isIPv6);
      case "connectPerson":
        return this.#person?.connect(message.path);
      case "brief":
        return void this.#brief(message.keys, message.waitForHumanMs);
      case "bridge":
        return void this.#bridge(message.keys);
      case "personKey":
        return this.#person?.hearKey(message.digit);
      case "endTransfer":
        this.#endTransfer();
        return media.divert(undefined);
    }
  }

  async #addPerson(caller: PhoneMedia, isIPv6: boolean): Promise<void> {
    const callId = this.#callId;
    const { signal } = this.#transfer;
    try {
      const { conversation, openNoiseSuppression } = this.#parts;
      this.#warm?.prepare();
      const open = async (end: MediaConversation): Promise<PhoneMedia> =>
        await this.#openPerson({
          conversation: end,
          isIPv6,
          onTimeout: (silentMs) => this.#losePerson(caller, silentMs),
        });
      const briefing = this.#warm?.briefing;
      const person = await PersonLeg.open({ caller, conversation, open, briefing, openNoiseSuppression });
      if (signal.aborted) return person.close();
      this.#person = person;
      this.#send({ type: "personOpened", callId, rtpPort: person.port });
    } catch (error) {
      this.#send({ type: "personFailed", callId, message: errorMessage(error) });
    }
  }

  async #brief(keys: string, waitForHumanMs: number): Promise<void> {
    const [person, warm] = [this.#person, this.#warm];
    let outcome: BriefingOutcome = {
      isAccepted: false,
      failure: "hung up",
      detail: "the transfer ended before the briefing",
    };
    try {
      if (person !== undefined && warm !== undefined && (await person.answer(keys)))
        outcome = await person.brief(waitForHumanMs);
      this.#send({ type: "briefed", callId: this.#callId, outcome });
    } catch (error) {
      this.#parts.scope.fail(error);
    }
  }

  async #bridge(keys: string): Promise<void> {
    const { scope, spool } = this.#parts;
    const [person, warm] = [this.#person, this.#warm];
    try {
      const isThere = warm === undefined ? await person?.answer(keys) : await this.#introduce(person, warm);
      const isBridged = isThere === true && person?.bridge() === true;
      // Two people talk from here on, who were not asked.
      if (isBridged && warm?.isRecordingContinued !== true) void spool?.close();
      this.#send({ type: "bridged", callId: this.#callId, isBridged });
    } catch (error) {
      scope.fail(error);
    }
  }

  /** Introduces the two people to each other. Resolves with whether both are still there. */
  async #introduce(person: PersonLeg | undefined, warm: WarmTransfer): Promise<boolean> {
    const { conversation } = this.#parts;
    const introduction = await warm.introduction;
    if (this.#warm !== warm) return false;
    if (introduction !== undefined) {
      conversation.noteTransfer(`Both hear: “${introduction.text}”`);
      if ((await person?.introduce(introduction)) !== true) return false;
    }
    conversation.noteTransfer("Both are connected.");
    warm.close();
    return true;
  }

  /** The person has been silent for so long that they count as gone. Only a bridged call ends with them. */
  #losePerson(caller: PhoneMedia, silentMs: number): void {
    if (this.#person?.isBridged === true)
      return this.#send({ type: "personTimeout", callId: this.#callId, silentMs });
    this.#endTransfer();
    caller.divert(undefined);
  }

  #endTransfer(): void {
    this.#transfer.abort();
    this.#transfer = new AbortController();
    this.#person?.close();
    this.#person = undefined;
    this.#warm?.close();
    this.#warm = undefined;
  }

  #deliverWeb(message: WebMessage, media: WebMedia): void {
    switch (message.type) {
      case "join": {
        const { callId, requestId, sdp } = message;
        void media.join(sdp).then((result) => this.#send({ type: "joined", callId, requestId, result }));
        return;
      }
      case "fragment": {
        const { callId, requestId, fragment } = message;
        void media
          .take(fragment)
          .then((result) => this.#send({ type: "fragmentTaken", callId, requestId, result }));
        return;
      }
      case "live":
        return media.sendEvent(message.event);
    }
  }

  #attempt<T>(work: () => T): T | undefined {
    return attempt(`closing call ${this.#callId}`, work);
  }
}
