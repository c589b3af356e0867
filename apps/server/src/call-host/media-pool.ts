import { randomUUID } from "node:crypto";
import type { Instruction, VoiceEvent } from "@parley/conversation";
import type { Logger } from "pino";
import { SupervisedChild } from "../platform/supervised-child.ts";
import type {
  FromMedia,
  MediaCall,
  MediaConfiguration,
  MediaPath,
  MediaStatistics,
  ToMedia,
} from "./media-protocol.ts";

/** A process whose wheel lags more than this in as many reports (seconds) in a row gets no more calls: those it has would suffer. */
const LARGEST_WHEEL_LAG_MS = 5;
const LAGGING_REPORTS = 10;
const OPEN_DEADLINE_MS = 3_000;
const CLOSE_GRACE_MS = 5_000;
/**
 * V8 begins a full collection once the old part of the heap, audio in buffers included, has grown by a few megabytes: at 100
 * calls every 0.7 s, each stopping the wheel for 5 to 12 ms (measured). Allowed to grow fivefold it does so every minute or
 * so; the heap of a process with 200 calls is then some 60 MB larger. The young part is bounded, so that it is quickly cleaned.
 */
const MEDIA_EXEC_ARGV = ["--max-semi-space-size=16", "--heap-growing-percent=400"];

export interface MediaLegHandlers {
  onEvent: (event: VoiceEvent) => void;
  /** The peer has sent nothing for so long that it must be gone. */
  onMediaTimeout: (silentMs: number) => void;
  /** The media process died with the call in it. */
  onLost: (description: string) => void;
}

/** The main process's handle on one call in a media process. */
export interface MediaLeg {
  readonly rtpPort: number;
  /** Resolves when the greeting is ready or its deadline has passed; never rejects. */
  readonly prepared: Promise<void>;
  connect: (path: MediaPath) => void;
  start: () => void;
  /** Resolves with whether the agent listens; false too where the process dies. Waits as long as the process lives. */
  instruct: (instruction: Instruction) => Promise<boolean>;
  /** Idempotent. Undefined where the process died. */
  close: () => Promise<MediaStatistics | undefined>;
}

export class NoMediaCapacityError extends Error {
  override readonly name = "NoMediaCapacityError";
}

export interface MediaPoolOptions {
  processes: number;
  /** Calls that one process may hold at once. */
  callsPerProcess: number;
  configure: (index: number) => MediaConfiguration;
  logger: Logger;
}

interface OpenCall {
  opened: PromiseWithResolvers<number>;
  prepared: PromiseWithResolvers<void>;
  closed: PromiseWithResolvers<MediaStatistics | undefined>;
  /** By id, those that have not been answered. */
  instructions: Map<string, (isTaken: boolean) => void>;
  handlers: MediaLegHandlers;
}

interface MediaMember {
  child: SupervisedChild<ToMedia, FromMedia>;
  calls: Map<string, OpenCall>;
  wheelLagP99Ms: number;
  /** How many of the last load reports in a row showed too large a lag. */
  laggingReports: number;
}

/** The node's media processes: spreads calls over them and notices when one dies. */
export class MediaPool {
  readonly #members: MediaMember[] = [];
  readonly #callsPerProcess: number;
  #isClosed = false;

  constructor(options: MediaPoolOptions) {
    this.#callsPerProcess = options.callsPerProcess;
    for (let index = 0; index < options.processes; index++)
      this.#members.push(this.#createMember(index, options));
  }

  get isReady(): boolean {
    return !this.#isClosed && this.#members.some((member) => member.child.isReady);
  }

  /** Whether a call would find a place now; another may take it meanwhile. */
  get hasFreePlace(): boolean {
    return this.#leastLoaded() !== undefined;
  }

  /** How many calls more would find a place now. */
  get freePlaces(): number {
    const usable = this.#members.filter((member) => this.#isUsable(member));
    return usable.reduce((places, { calls }) => places + this.#callsPerProcess - calls.size, 0);
  }

  /** Largest lag of any media process's wheel: p99 over the last 10 s. */
  get wheelLagP99Ms(): number {
    return Math.max(0, ...this.#members.map((member) => member.wheelLagP99Ms));
  }

  /** Rejects with `NoMediaCapacityError` when no process has a free place, else with what went wrong in it. */
  async open(call: MediaCall, handlers: MediaLegHandlers): Promise<MediaLeg> {
    const member = this.#leastLoaded();
    if (member === undefined) throw new NoMediaCapacityError("no media process has a free place");
    const { callId } = call;
    const state: OpenCall = {
      opened: Promise.withResolvers<number>(),
      prepared: Promise.withResolvers<void>(),
      closed: Promise.withResolvers<MediaStatistics | undefined>(),
      instructions: new Map(),
      handlers,
    };
    member.calls.set(callId, state);
    const deadline = setTimeout(
      () =>
        state.opened.reject(
          new Error(`the media process did not open the call within ${OPEN_DEADLINE_MS} ms`),
        ),
      OPEN_DEADLINE_MS,
    );
    try {
      member.child.send({ type: "open", call });
      const rtpPort = await state.opened.promise;
      return {
        rtpPort,
        prepared: state.prepared.promise,
        connect: (path) => member.child.send({ type: "connect", callId, path }),
        start: () => member.child.send({ type: "start", callId }),
        instruct: async (instruction) => {
          if (member.calls.get(callId) !== state) return false;
          const instructionId = randomUUID();
          const { promise: taken, resolve } = Promise.withResolvers<boolean>();
          state.instructions.set(instructionId, resolve);
          member.child.send({ type: "instruct", callId, instructionId, instruction });
          return await taken;
        },
        close: () => {
          member.child.send({ type: "close", callId });
          return state.closed.promise;
        },
      };
    } catch (error) {
      member.calls.delete(callId);
      member.child.send({ type: "close", callId });
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Idempotent. Calls that are left are reported lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#members.map((member) => member.child.close(CLOSE_GRACE_MS)));
  }

  #leastLoaded(): MediaMember | undefined {
    const free = this.#members.filter((member) => this.#isUsable(member));
    return free.sort((a, b) => a.calls.size - b.calls.size)[0];
  }

  #isUsable({ child, calls, laggingReports }: MediaMember): boolean {
    const isKeepingUp = laggingReports < LAGGING_REPORTS;
    // Where it has no calls, others make this machine slow, and refusing would spare nobody.
    return child.isReady && calls.size < this.#callsPerProcess && (calls.size === 0 || isKeepingUp);
  }

  #createMember(index: number, options: MediaPoolOptions): MediaMember {
    const calls = new Map<string, OpenCall>();
    const member: MediaMember = {
      calls,
      wheelLagP99Ms: 0,
      laggingReports: 0,
      child: new SupervisedChild<ToMedia, FromMedia>({
        name: `media-${index + 1}`,
        entry: new URL("./media-process.ts", import.meta.url),
        execArgv: MEDIA_EXEC_ARGV,
        firstMessage: () => options.configure(index),
        onMessage: (message) => receive(member, message),
        onReady: () => options.logger.debug({ index }, "media process ready"),
        onExit: (description) => loseCalls(member, description),
        logger: options.logger,
      }),
    };
    return member;
  }
}

function receive(member: MediaMember, message: FromMedia): void {
  if (message.type === "load") {
    member.wheelLagP99Ms = message.wheelLagP99Ms;
    member.laggingReports = message.wheelLagP99Ms > LARGEST_WHEEL_LAG_MS ? member.laggingReports + 1 : 0;
    return;
  }
  const call = member.calls.get(message.callId);
  if (call === undefined) return;
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
      call.instructions.get(message.instructionId)?.(message.isTaken);
      call.instructions.delete(message.instructionId);
      break;
    case "event":
      call.handlers.onEvent(message.event);
      break;
    case "mediaTimeout":
      call.handlers.onMediaTimeout(message.silentMs);
      break;
    case "closed":
      member.calls.delete(message.callId);
      refuseInstructions(call);
      call.closed.resolve(message.statistics);
      break;
  }
}

function refuseInstructions({ instructions }: OpenCall): void {
  for (const answer of instructions.values()) answer(false);
  instructions.clear();
}

function loseCalls(member: MediaMember, description: string): void {
  const lost = [...member.calls.values()];
  member.calls.clear();
  member.wheelLagP99Ms = 0;
  member.laggingReports = 0;
  for (const call of lost) {
    call.opened.reject(new Error(description));
    call.prepared.resolve();
    refuseInstructions(call);
    call.closed.resolve(undefined);
    call.handlers.onLost(description);
  }
}
