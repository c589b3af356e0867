import type { SpeechFit } from "@parley/providers/fit";
import type { MediaLeg, MediaLegHandlers, WebMediaLeg, WebMediaLegHandlers } from "./media-legs.ts";
import { MediaMember, type MediaMemberOptions, sumOf } from "./media-member.ts";
import type { MediaCall } from "./media-protocol.ts";
import { type MediaPlace, PlaceReservations } from "./place-reservations.ts";

export class NoMediaCapacityError extends Error {
  override readonly name = "NoMediaCapacityError";
}

export interface MediaPoolOptions extends MediaMemberOptions {
  processes: number;
  /** Largest number of calls per process. */
  callsPerProcess: number;
}

/** The node's media processes. Distributes calls over them and restarts a process that dies. */
export class MediaPool {
  readonly #members: readonly MediaMember[];
  readonly #callsPerProcess: number;
  readonly #reservations = new PlaceReservations();
  #isClosed = false;

  constructor(options: MediaPoolOptions) {
    const { processes, callsPerProcess } = options;
    this.#callsPerProcess = callsPerProcess;
    this.#members = Array.from({ length: processes }, (_, index) => new MediaMember(index, options));
  }

  get isReady(): boolean {
    return !this.#isClosed && this.#members.some(({ isReady }) => isReady);
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
    return Math.max(0, ...this.#members.map(({ lagP99Ms }) => lagP99Ms));
  }

  /** Frames by lag since the start, in the classes of `LAG_BOUNDS_MS`. */
  /** Providers that are passed over because they fail, counted for each organization and media process. */
  get openCircuits(): number {
    return this.#members.reduce((sum, { openCircuits }) => sum + openCircuits, 0);
  }

  get lagCounts(): readonly number[] {
    return sumOf(this.#members.map(({ lagCounts }) => lagCounts));
  }

  /** Exceptions in media processes that belong to no call. */
  get faults(): number {
    return this.#members.reduce((sum, { faults }) => sum + faults, 0);
  }

  /** Processes that start later have it in their configuration. */
  useSpeechFit(fit: SpeechFit): void {
    for (const member of this.#members) member.useSpeechFit(fit);
  }

  /** Rejects with `NoMediaCapacityError` when no process has a free place, else with what went wrong in it. */
  async open(call: MediaCall, handlers: MediaLegHandlers, place: MediaPlace): Promise<MediaLeg> {
    return await this.#memberFor(place).open(call, handlers);
  }

  /** As `open`, for a browser call. */
  async openWeb(call: MediaCall, handlers: WebMediaLegHandlers, place: MediaPlace): Promise<WebMediaLeg> {
    return await this.#memberFor(place).openWeb(call, handlers);
  }

  /** Idempotent. Remaining calls are reported as lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#members.map(async (member) => await member.close()));
  }

  #countPlaces(): number {
    const usable = this.#members.filter((member) => this.#hasRoom(member) && member.isKeepingUp);
    return usable.reduce((places, { callCount }) => places + this.#callsPerProcess - callCount, 0);
  }

  /** The process for a call that was admitted when it reserved its place, even if one does not keep up since then. */
  #memberFor(place: MediaPlace): MediaMember {
    place[Symbol.dispose]();
    const free = this.#members.filter((member) => this.#hasRoom(member));
    const [member] = free.sort((a, b) => a.callCount - b.callCount);
    if (member === undefined) throw new NoMediaCapacityError("no media process has a free slot");
    return member;
  }

  #hasRoom({ isReady, callCount }: MediaMember): boolean {
    return isReady && callCount < this.#callsPerProcess;
  }
}
