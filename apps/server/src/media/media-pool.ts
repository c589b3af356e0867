import { errorMessage } from "@parley/conversation/error-message";
import { systemClock } from "@parley/sip";
import type { SpeechFit } from "@parley/providers/fit";
import type { Logger } from "pino";
import type { ModelReport } from "../inference/model-states.ts";
import { monotonicMs } from "../platform/monotonic-clock.ts";
import { SupervisedChild } from "../platform/supervised-child.ts";
import { type MediaPlace, PlaceReservations } from "./place-reservations.ts";
import { LagWatch } from "./lag-watch.ts";
import type {
  CallMedia,
  MediaLeg,
  MediaLegHandlers,
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
/**
 * V8 starts a full collection whenever the old generation, including audio buffers, has grown by a few megabytes: with 100
 * calls every 0.7 s, each with a pause of 5 to 12 ms (measured). If it may grow threefold, a collection takes place every
 * 15 s. The young generation is small, so that it is collected quickly and stays in the processor's caches: with 8 MB instead
 * of 4 the process takes 5 % more time, with 32 MB another 25 %.
 */
const MEDIA_EXEC_ARGV = ["--max-semi-space-size=4", "--heap-growing-percent=200"];

export class NoMediaCapacityError extends Error {
  override readonly name = "NoMediaCapacityError";
}

export interface MediaPoolOptions {
  processes: number;
  /** Largest number of calls per process. */
  callsPerProcess: number;
  configure: (index: number) => MediaConfiguration;
  onModel: (report: ModelReport) => void;
  logger: Logger;
}

interface OpenCall {
  /** Answer to `open`, with the port of a phone call. */
  opened: PromiseWithResolvers<number>;
  prepared: PromiseWithResolvers<void>;
  finished: PromiseWithResolvers<void>;
  closed: PromiseWithResolvers<MediaStatistics | undefined>;
  instructions: PendingRequests<boolean>;
  offers: PendingRequests<WebJoinResult>;
  fragments: PendingRequests<WebFragmentResult>;
  handlers: MediaLegHandlers & Partial<WebMediaLegHandlers>;
}

type CallMessage = Extract<FromMedia, { callId: string }>;

interface Opened {
  member: MediaMember;
  state: OpenCall;
  leg: CallMedia;
}

interface MediaMember {
  child: SupervisedChild<ToMedia, FromMedia>;
  calls: Map<string, OpenCall>;
  lag: LagWatch;
  /** Since the start of the node, across restarts of the process. */
  lagCounts: number[];
}

/** The node's media processes. Distributes calls over them and restarts a process that dies. */
export class MediaPool {
  readonly #members: MediaMember[] = [];
  readonly #callsPerProcess: number;
  readonly #reservations = new PlaceReservations();
  #isClosed = false;

  constructor(options: MediaPoolOptions) {
    this.#callsPerProcess = options.callsPerProcess;
    for (let index = 0; index < options.processes; index++)
      this.#members.push(this.#createMember(index, options));
  }

  get isReady(): boolean {
    return !this.#isClosed && this.#members.some((member) => member.child.isReady);
  }

  /** Whether a process could take a call now. Another call may take the place first. */
  get hasFreePlace(): boolean {
    return this.freePlaces > 0;
  }

  /** Number of calls that could be taken now. Reserved places are not free. */
  get freePlaces(): number {
    return Math.max(0, this.#countPlaces() - this.#reservations.count);
  }

  /** Reserves a place until a call is opened on it or it is disposed; `undefined` if none is free. */
  reserve(): MediaPlace | undefined {
    return this.#reservations.reserve(this.#countPlaces());
  }

  /** Lag of audio frames in ms: 99th percentile over 10 s in the slowest media process. */
  get wheelLagP99Ms(): number {
    return Math.max(0, ...this.#members.map(({ lag }) => lag.lagP99Ms));
  }

  /** Frames by lag since the start, in the classes of `LAG_BOUNDS_MS`. */
  get lagCounts(): readonly number[] {
    return sumOf(this.#members.map((member) => member.lagCounts));
  }

  /** Exceptions in media processes that belong to no call. */
  get faults(): number {
    return this.#members.reduce((sum, { child }) => sum + child.faults, 0);
  }

  /** Processes that start later have it in their configuration. */
  useSpeechFit(fit: SpeechFit): void {
    for (const { child } of this.#members) child.send({ type: "speechFit", fit });
  }

  /** Rejects with `NoMediaCapacityError` when no process has a free place, else with what went wrong in it. */
  async open(call: MediaCall, handlers: MediaLegHandlers, place: MediaPlace): Promise<MediaLeg> {
    const { member, state, leg } = await this.#open({ type: "open", call }, handlers, place);
    const { callId } = call;
    return {
      ...leg,
      rtpPort: await state.opened.promise,
      connect: (path) => member.child.send({ type: "connect", callId, path }),
      start: () => member.child.send({ type: "start", callId }),
      confirm: () => member.child.send({ type: "confirm", callId }),
      hearKey: (digit) => member.child.send({ type: "key", callId, digit }),
    };
  }

  /** As `open`, for a browser call. */
  async openWeb(call: MediaCall, handlers: WebMediaLegHandlers, place: MediaPlace): Promise<WebMediaLeg> {
    const { member, state, leg } = await this.#open({ type: "openWeb", call }, handlers, place);
    const { callId } = call;
    return {
      ...leg,
      join: async (sdp) =>
        await state.offers.ask((requestId) => member.child.send({ type: "join", callId, requestId, sdp })),
      takeFragment: async (fragment) =>
        await state.fragments.ask((requestId) =>
          member.child.send({ type: "fragment", callId, requestId, fragment }),
        ),
      finish: async () => {
        member.child.send({ type: "finish", callId });
        await state.finished.promise;
      },
      tell: (event) => member.child.send({ type: "live", callId, event }),
    };
  }

  async #open(
    request: Extract<ToMedia, { call: MediaCall }>,
    handlers: MediaLegHandlers & Partial<WebMediaLegHandlers>,
    place: MediaPlace,
  ): Promise<Opened> {
    place[Symbol.dispose]();
    const member = this.#leastLoaded();
    if (member === undefined) throw new NoMediaCapacityError("no media process has a free slot");
    const { callId } = request.call;
    const state: OpenCall = {
      opened: Promise.withResolvers<number>(),
      prepared: Promise.withResolvers<void>(),
      finished: Promise.withResolvers<void>(),
      closed: Promise.withResolvers<MediaStatistics | undefined>(),
      instructions: new PendingRequests(false),
      offers: new PendingRequests<WebJoinResult>({
        ok: false,
        refusal: "unacceptable",
        reason: CALL_OVER,
      }),
      fragments: new PendingRequests<WebFragmentResult>({ kind: "refused", reason: CALL_OVER }),
      handlers,
    };
    member.calls.set(callId, state);
    const deadline = systemClock.schedule(OPEN_DEADLINE_MS, () =>
      state.opened.reject(new Error(`the media process did not open the call within ${OPEN_DEADLINE_MS} ms`)),
    );
    try {
      member.child.send(request);
      await state.opened.promise;
    } catch (error) {
      member.calls.delete(callId);
      member.child.send({ type: "close", callId });
      throw error;
    } finally {
      deadline.cancel();
    }
    return { member, state, leg: commandCall(member, callId, state) };
  }

  /** Idempotent. Remaining calls are reported as lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#members.map((member) => member.child.close(CLOSE_GRACE_MS)));
  }

  #countPlaces(): number {
    const usable = this.#members.filter((member) => this.#isUsable(member));
    return usable.reduce((places, { calls }) => places + this.#callsPerProcess - calls.size, 0);
  }

  /** The process for a call that was admitted when it reserved its place, even if one does not keep up since then. */
  #leastLoaded(): MediaMember | undefined {
    const free = this.#members.filter((member) => this.#hasRoom(member));
    return free.sort((a, b) => a.calls.size - b.calls.size)[0];
  }

  #hasRoom({ child, calls }: MediaMember): boolean {
    return child.isReady && calls.size < this.#callsPerProcess;
  }

  #isUsable(member: MediaMember): boolean {
    // Without calls of its own, other programs slow this machine down, and refusing would protect no call.
    return this.#hasRoom(member) && (member.calls.size === 0 || member.lag.isKeepingUp);
  }

  #createMember(index: number, options: MediaPoolOptions): MediaMember {
    const calls = new Map<string, OpenCall>();
    const member: MediaMember = {
      calls,
      lag: new LagWatch(),
      lagCounts: [],
      child: new SupervisedChild<ToMedia, FromMedia>({
        name: `media-${index + 1}`,
        entry: new URL("./media-process.ts", import.meta.url),
        execArgv: MEDIA_EXEC_ARGV,
        firstMessage: () => options.configure(index),
        onMessage: (message) => {
          if (message.type === "model") options.onModel(message);
          else receive(member, message);
        },
        onReady: () => options.logger.debug({ index }, "media process ready"),
        onExit: (description) => loseCalls(member, description),
        logger: options.logger,
      }),
    };
    return member;
  }
}

function commandCall({ child }: MediaMember, callId: string, state: OpenCall): CallMedia {
  return {
    prepared: state.prepared.promise,
    instruct: async (instruction) =>
      await state.instructions.ask((instructionId) =>
        child.send({
          type: "instruct",
          callId,
          instructionId,
          instruction,
          expiresAtMs: monotonicMs() + INSTRUCTION_DEADLINE_MS,
        }),
      ),
    close: () => {
      child.send({ type: "close", callId });
      return state.closed.promise;
    },
  };
}

function receive(member: MediaMember, message: Exclude<FromMedia, ModelReport>): void {
  if (message.type === "load") {
    member.lag.note(message.wheelLagP99Ms);
    member.lagCounts = sumOf([member.lagCounts, message.lagCounts]);
    return;
  }
  const call = member.calls.get(message.callId);
  if (call === undefined) return;
  try {
    deliver(member, call, message);
  } catch (error) {
    call.handlers.onFault(errorMessage(error));
  }
}

function deliver(member: MediaMember, call: OpenCall, message: CallMessage): void {
  switch (message.type) {
    case "opened":
      call.opened.resolve(message.rtpPort);
      break;
    case "openFailed":
      call.opened.reject(new Error(message.message));
      break;
    case "prepared":
      call.prepared.resolve();
      break;
    case "instructed":
      call.instructions.answer(message.instructionId, message.isTaken);
      break;
    case "openedWeb":
      call.opened.resolve(0);
      break;
    case "joined":
      call.offers.answer(message.requestId, message.result);
      break;
    case "fragmentTaken":
      call.fragments.answer(message.requestId, message.result);
      break;
    case "connected":
      call.handlers.onConnected?.();
      break;
    case "sign": {
      const { signatureId } = message;
      void call.handlers
        .onSign(message.message)
        .then((headers) => member.child.send({ type: "signed", signatureId, headers }));
      break;
    }
    case "event":
      call.handlers.onEvent(message.event);
      break;
    case "callFault":
      call.handlers.onFault(message.message);
      break;
    case "mediaTimeout":
      call.handlers.onMediaTimeout(message.silentMs);
      break;
    case "finished":
      call.finished.resolve();
      break;
    case "closed":
      member.calls.delete(message.callId);
      endQuestions(call);
      call.closed.resolve(message.statistics);
      break;
  }
}

function sumOf(counts: readonly number[][]): number[] {
  const length = Math.max(0, ...counts.map((each) => each.length));
  return Array.from({ length }, (_, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0));
}

function endQuestions({ instructions, offers, fragments }: OpenCall): void {
  for (const questions of [instructions, offers, fragments]) questions.end();
}

function loseCalls(member: MediaMember, description: string): void {
  const lost = [...member.calls.values()];
  member.calls.clear();
  member.lag.reset();
  for (const call of lost) {
    call.opened.reject(new Error(description));
    call.prepared.resolve();
    endQuestions(call);
    call.finished.resolve();
    call.closed.resolve(undefined);
    call.handlers.onLost(description);
  }
}
