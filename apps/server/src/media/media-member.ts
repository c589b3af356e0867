import type { BriefingOutcome } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import { systemClock } from "@parley/sip";
import type { SpeechFit } from "@parley/providers/fit";
import type { Logger } from "pino";
import type { ModelReport } from "../inference/model-states.ts";
import { monotonicMs } from "../platform/monotonic-clock.ts";
import { SupervisedChild } from "../platform/supervised-child.ts";
import { LagWatch } from "./lag-watch.ts";
import type {
  CallMedia,
  MediaLeg,
  MediaLegHandlers,
  TransferMedia,
  WebMediaLeg,
  WebMediaLegHandlers,
} from "./media-legs.ts";
import type {
  FromMedia,
  MediaCall,
  MediaConfiguration,
  MediaStatistics,
  ToMedia,
  WebFragmentResult,
  WebJoinResult,
} from "./media-protocol.ts";
import { PendingRequests } from "./pending-requests.ts";

const OPEN_DEADLINE_MS = 3_000;
const INSTRUCTION_DEADLINE_MS = 1_000;
const CLOSE_GRACE_MS = 5_000;
const CALL_OVER = "The call is over.";
const BRIEFING_OVER: BriefingOutcome = { isAccepted: false, failure: "hung up", detail: "the call is over" };
/**
 * V8 starts a full collection whenever the old generation, including audio buffers, has grown by a few megabytes: with 100
 * calls every 0.7 s, each with a pause of 5 to 12 ms (measured). If it may grow threefold, a collection takes place every
 * 15 s. The young generation is small, so that it is collected quickly and stays in the processor's caches: with 8 MB instead
 * of 4 the process takes 5 % more time, with 32 MB another 25 %.
 */
const MEDIA_EXEC_ARGV = ["--max-semi-space-size=4", "--heap-growing-percent=200"];

export interface MediaMemberOptions {
  configure: (index: number) => MediaConfiguration;
  onModel: (report: ModelReport) => void;
  logger: Logger;
}

type CallHandlers = MediaLegHandlers & Partial<WebMediaLegHandlers>;
type CallMessage = Extract<FromMedia, { callId: string }>;

interface OpenCall {
  /** Answer to `open`, with the port of a phone call. */
  opened: PromiseWithResolvers<number>;
  prepared: PromiseWithResolvers<void>;
  finished: PromiseWithResolvers<void>;
  closed: PromiseWithResolvers<MediaStatistics | undefined>;
  instructions: PendingRequests<boolean>;
  offers: PendingRequests<WebJoinResult>;
  fragments: PendingRequests<WebFragmentResult>;
  /** Port of the person to whom the call is being transferred. */
  person: PromiseWithResolvers<number>;
  briefed: PromiseWithResolvers<BriefingOutcome>;
  bridged: PromiseWithResolvers<boolean>;
  handlers: CallHandlers;
}

/** The main process's side of one media process: its calls and their open requests. Restarts it if it dies. */
export class MediaMember {
  readonly #child: SupervisedChild<ToMedia, FromMedia>;
  readonly #calls = new Map<string, OpenCall>();
  readonly #lag = new LagWatch();
  #lagCounts: readonly number[] = [];
  #openCircuits = 0;

  constructor(index: number, { configure, onModel, logger }: MediaMemberOptions) {
    this.#child = new SupervisedChild<ToMedia, FromMedia>({
      name: `media-${index + 1}`,
      entry: new URL("./media-process.ts", import.meta.url),
      execArgv: MEDIA_EXEC_ARGV,
      firstMessage: () => configure(index),
      onMessage: (message) => {
        if (message.type === "model") onModel(message);
        else this.#receive(message);
      },
      onReady: () => logger.debug({ index }, "media process ready"),
      onExit: (description) => this.#loseCalls(description),
      logger,
    });
  }

  get isReady(): boolean {
    return this.#child.isReady;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  get isKeepingUp(): boolean {
    // Without calls of its own, other programs slow this machine down, and refusing would protect no call.
    return this.#calls.size === 0 || this.#lag.isKeepingUp;
  }

  /** Lag of audio frames in ms: 99th percentile over 10 s. */
  get lagP99Ms(): number {
    return this.#lag.lagP99Ms;
  }

  /** Frames by lag, in the classes of `LAG_BOUNDS_MS`, since the start of the node, across restarts of the process. */
  get lagCounts(): readonly number[] {
    return this.#lagCounts;
  }

  /** Providers that are passed over because they fail, counted for each organization. */
  get openCircuits(): number {
    return this.#openCircuits;
  }

  /** Exceptions in the process that belong to no call. */
  get faults(): number {
    return this.#child.faults;
  }

  useSpeechFit(fit: SpeechFit): void {
    this.#child.send({ type: "speechFit", fit });
  }

  /** Rejects with what went wrong in the process, or after a deadline. */
  async open(call: MediaCall, handlers: MediaLegHandlers): Promise<MediaLeg> {
    const state = await this.#open({ type: "open", call }, handlers);
    const { callId } = call;
    return {
      ...this.#commandCall(callId, state),
      rtpPort: await state.opened.promise,
      connect: (path) => this.#child.send({ type: "connect", callId, path }),
      start: () => this.#child.send({ type: "start", callId }),
      confirm: () => this.#child.send({ type: "confirm", callId }),
      hearKey: (digit) => this.#child.send({ type: "key", callId, digit }),
      transfer: this.#commandTransfer(callId, state),
    };
  }

  #commandTransfer(callId: string, state: OpenCall): TransferMedia {
    return {
      hold: () => this.#child.send({ type: "hold", callId }),
      openPerson: async ({ isIPv6 }) => {
        if (this.#calls.get(callId) !== state) throw new Error(CALL_OVER);
        state.person = Promise.withResolvers();
        this.#child.send({ type: "openPerson", callId, isIPv6 });
        return {
          rtpPort: await state.person.promise,
          connect: (path) => this.#child.send({ type: "connectPerson", callId, path }),
          hearKey: (digit) => this.#child.send({ type: "personKey", callId, digit }),
        };
      },
      brief: async (options) => {
        if (this.#calls.get(callId) !== state) return BRIEFING_OVER;
        state.briefed = Promise.withResolvers();
        this.#child.send({ type: "brief", callId, ...options });
        return await state.briefed.promise;
      },
      bridge: async (keys) => {
        if (this.#calls.get(callId) !== state) return false;
        state.bridged = Promise.withResolvers();
        this.#child.send({ type: "bridge", callId, keys });
        return await state.bridged.promise;
      },
      end: () => this.#child.send({ type: "endTransfer", callId }),
    };
  }

  /** As `open`, for a browser call. */
  async openWeb(call: MediaCall, handlers: WebMediaLegHandlers): Promise<WebMediaLeg> {
    const state = await this.#open({ type: "openWeb", call }, handlers);
    const { callId } = call;
    return {
      ...this.#commandCall(callId, state),
      join: async (sdp) =>
        await state.offers.ask((requestId) => this.#child.send({ type: "join", callId, requestId, sdp })),
      takeFragment: async (fragment) =>
        await state.fragments.ask((requestId) =>
          this.#child.send({ type: "fragment", callId, requestId, fragment }),
        ),
      finish: async () => {
        this.#child.send({ type: "finish", callId });
        await state.finished.promise;
      },
      sendEvent: (event) => this.#child.send({ type: "live", callId, event }),
    };
  }

  /** Idempotent. Remaining calls are reported as lost. */
  async close(): Promise<void> {
    await this.#child.close(CLOSE_GRACE_MS);
  }

  async #open(request: Extract<ToMedia, { call: MediaCall }>, handlers: CallHandlers): Promise<OpenCall> {
    const { callId } = request.call;
    const state = createOpenCall(handlers);
    this.#calls.set(callId, state);
    const deadline = systemClock.schedule(OPEN_DEADLINE_MS, () =>
      state.opened.reject(new Error(`the media process did not open the call within ${OPEN_DEADLINE_MS} ms`)),
    );
    try {
      this.#child.send(request);
      await state.opened.promise;
    } catch (error) {
      this.#calls.delete(callId);
      this.#child.send({ type: "close", callId });
      throw error;
    } finally {
      deadline.cancel();
    }
    return state;
  }

  #commandCall(callId: string, state: OpenCall): CallMedia {
    return {
      prepared: state.prepared.promise,
      noteTransfer: (text) => this.#child.send({ type: "noteTransfer", callId, text }),
      instruct: async (instruction) =>
        await state.instructions.ask((instructionId) =>
          this.#child.send({
            type: "instruct",
            callId,
            instructionId,
            instruction,
            expiresAtMs: monotonicMs() + INSTRUCTION_DEADLINE_MS,
          }),
        ),
      close: () => {
        this.#child.send({ type: "close", callId });
        return state.closed.promise;
      },
    };
  }

  #receive(message: Exclude<FromMedia, ModelReport>): void {
    if (message.type === "load") {
      this.#lag.note(message.wheelLagP99Ms);
      this.#lagCounts = sumOf([this.#lagCounts, message.lagCounts]);
      this.#openCircuits = message.openCircuits;
      return;
    }
    const call = this.#calls.get(message.callId);
    if (call === undefined) return;
    try {
      this.#deliver(call, message);
    } catch (error) {
      call.handlers.onFault(errorMessage(error));
    }
  }

  #deliver(call: OpenCall, message: CallMessage): void {
    switch (message.type) {
      case "opened":
        return call.opened.resolve(message.rtpPort);
      case "openedWeb":
        return call.opened.resolve(0);
      case "openFailed":
        return call.opened.reject(new Error(message.message));
      case "prepared":
        return call.prepared.resolve();
      case "instructed":
        return call.instructions.answer(message.instructionId, message.isTaken);
      case "joined":
        return call.offers.answer(message.requestId, message.result);
      case "fragmentTaken":
        return call.fragments.answer(message.requestId, message.result);
      case "connected":
        return call.handlers.onConnected?.();
      case "sign":
      case "addToDoNotCall":
      case "sendText":
      case "transfer":
      case "searchKnowledge":
        return this.#answerRequest(call.handlers, message);
      case "personOpened":
        return call.person.resolve(message.rtpPort);
      case "personFailed":
        return call.person.reject(new Error(message.message));
      case "briefed":
        return call.briefed.resolve(message.outcome);
      case "bridged":
        return call.bridged.resolve(message.isBridged);
      case "personTimeout":
        return call.handlers.onPersonTimeout(message.silentMs);
      case "event":
        return call.handlers.onEvent(message.event);
      case "callFault":
        return call.handlers.onFault(message.message);
      case "mediaTimeout":
        return call.handlers.onMediaTimeout(message.silentMs);
      case "finished":
        return call.finished.resolve();
      case "closed":
        this.#calls.delete(message.callId);
        endRequests(call);
        return call.closed.resolve(message.statistics);
    }
  }

  /** Answers a request of a call's conversation. */
  #answerRequest(
    handlers: CallHandlers,
    message: Extract<
      CallMessage,
      { type: "sign" | "addToDoNotCall" | "sendText" | "transfer" | "searchKnowledge" }
    >,
  ): void {
    switch (message.type) {
      case "sign": {
        const { signatureId } = message;
        void handlers
          .onSign(message.message)
          .then((headers) => this.#child.send({ type: "signed", signatureId, headers }));
        return;
      }
      case "addToDoNotCall": {
        const { requestId } = message;
        void handlers
          .onDoNotCall()
          .then((isAdded) => this.#child.send({ type: "addedToDoNotCall", requestId, isAdded }));
        return;
      }
      case "sendText": {
        const { textId, text } = message;
        void handlers
          .onSendText(text)
          .then((outcome) => this.#child.send({ type: "textSent", textId, outcome }));
        return;
      }
      case "searchKnowledge": {
        const { searchId, query } = message;
        void handlers
          .onSearchKnowledge(query)
          .then((outcome) => this.#child.send({ type: "knowledgeFound", searchId, outcome }));
        return;
      }
      case "transfer": {
        const { requestId, destination } = message;
        void handlers
          .onTransfer(destination)
          .then((result) => this.#child.send({ type: "transferred", requestId, result }));
        return;
      }
    }
  }

  #loseCalls(description: string): void {
    const lost = [...this.#calls.values()];
    this.#calls.clear();
    this.#lag.reset();
    for (const call of lost) {
      call.opened.reject(new Error(description));
      call.prepared.resolve();
      endRequests(call);
      call.finished.resolve();
      call.closed.resolve(undefined);
      call.handlers.onLost(description);
    }
  }
}

function createOpenCall(handlers: CallHandlers): OpenCall {
  return {
    opened: Promise.withResolvers<number>(),
    prepared: Promise.withResolvers<void>(),
    finished: Promise.withResolvers<void>(),
    person: Promise.withResolvers<number>(),
    briefed: Promise.withResolvers<BriefingOutcome>(),
    bridged: Promise.withResolvers<boolean>(),
    closed: Promise.withResolvers<MediaStatistics | undefined>(),
    instructions: new PendingRequests(false),
    offers: new PendingRequests<WebJoinResult>({ ok: false, refusal: "unacceptable", reason: CALL_OVER }),
    fragments: new PendingRequests<WebFragmentResult>({ kind: "refused", reason: CALL_OVER }),
    handlers,
  };
}

function endRequests({ instructions, offers, fragments, person, briefed, bridged }: OpenCall): void {
  for (const requests of [instructions, offers, fragments]) requests.end();
  // The transfer that waits for it may have ended.
  person.promise.catch(() => {});
  person.reject(new Error(CALL_OVER));
  briefed.resolve(BRIEFING_OVER);
  bridged.resolve(false);
}

/** Sums counts class by class. */
export function sumOf(counts: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...counts.map((each) => each.length));
  return Array.from({ length }, (_, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0));
}
