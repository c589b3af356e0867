/** Resources for a node's features without processes, jobs or other nodes: for tests and benches. */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { unlimitedSpeechPlaces } from "../inference/testing.ts";
import type { MediaCall } from "../media/media-protocol.ts";
import { type MediaPlace, PlaceReservations } from "../media/place-reservations.ts";
import type { NodeResources } from "../modules/feature.ts";
import { systemClock } from "../platform/clock.ts";
import { parseConfig } from "../platform/config/config.ts";
import { Encryption } from "../platform/encryption/encryption.ts";
import { createLogger } from "../platform/logging/logging.ts";
import { Readiness } from "../platform/readiness.ts";
import { createIdleMetrics } from "../platform/telemetry/testing.ts";

/** Shown as free if there is no limit: shares are computed from it. */
const MAX_PLACES = 1_000;

/** Media processes that never finish opening a call. */
export class SilentMedia {
  readonly isReady = true;
  /** Number of calls that it can open. */
  capacity = Number.POSITIVE_INFINITY;
  readonly #reservations = new PlaceReservations();

  get hasFreePlace(): boolean {
    return this.freePlaces > 0;
  }

  get freePlaces(): number {
    return Math.min(MAX_PLACES, this.#countPlaces() - this.#reservations.count);
  }

  reserve(): MediaPlace | undefined {
    return this.#reservations.reserve(this.#countPlaces());
  }

  #countPlaces(): number {
    return this.capacity - this.opened.length;
  }

  /** Calls that it was asked to open. */
  readonly opened: MediaCall[] = [];
  readonly #closed = Promise.withResolvers<never>();

  constructor() {
    this.#closed.promise.catch(() => undefined);
  }

  async open(call: MediaCall, _handlers: unknown, place: MediaPlace): Promise<never> {
    place[Symbol.dispose]();
    this.opened.push(call);
    return await this.#closed.promise;
  }

  async openWeb(call: MediaCall, handlers: unknown, place: MediaPlace): Promise<never> {
    return await this.open(call, handlers, place);
  }

  /** Ends the calls that wait to be opened. */
  close(): void {
    this.#closed.reject(new Error("the media is closed"));
  }
}

export function createTestResources<Given extends Pick<NodeResources, "database"> & Partial<NodeResources>>(
  given: Given,
) {
  const nodeId = given.nodeId ?? "test-node";
  const dataDirectory = path.join(tmpdir(), `parley-test-${randomBytes(8).toString("hex")}`);
  return {
    // Configures a model, so that analysis can be requested; no job runs it.
    config: parseConfig({
      PARLEY_DATA_DIR: dataDirectory,
      PARLEY_LLM_BASE_URL: "http://127.0.0.1:9",
      PARLEY_LLM_MODEL: "none",
    }).config,
    nodeId,
    logger: createLogger({ level: "silent" }),
    directUrl: "",
    encryption: new Encryption(randomBytes(32)),
    isEmbedded: false,
    jobs: { enqueue: async () => {} },
    bus: { publish: async () => {}, subscribe: () => () => {}, onReconnect: () => () => {} },
    clock: systemClock,
    storage: {
      isShared: true,
      putFile: async () => {},
      read: async () => new Uint8Array(0),
      delete: async () => {},
      linkTo: async (key: string) => `https://objects.test/${key}`,
    },
    origin: () => "http://localhost",
    media: new SilentMedia(),
    speechPlaces: unlimitedSpeechPlaces(),
    inference: { path: "", prepareSpeech: () => {}, useVoices: () => {} },
    sip: {
      get agent(): never {
        throw new Error("this node does not speak SIP");
      },
      tls: {},
    },
    readiness: new Readiness(),
    metrics: createIdleMetrics(),
    spans: undefined,
    ...given,
  };
}
