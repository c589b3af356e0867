import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { InferenceProcess } from "../inference/inference-supervisor.ts";
import type { LocalSpeechPlaces } from "../inference/local-speech-places.ts";
import type { MediaPool } from "../media/media-pool.ts";
import type { Bus } from "../platform/bus/bus.ts";
import type { Config } from "../platform/config/config.ts";
import type { DatabaseConnection } from "../platform/database/connect.ts";
import type { Clock } from "../platform/clock.ts";
import type { EncryptedColumn } from "../platform/encryption/reencryption.ts";
import type { JobQueue, Jobs } from "../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../platform/object-storage/object-storage.ts";
import type { Readiness } from "../platform/readiness.ts";
import type { SpanSink } from "../platform/telemetry/call-spans.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { SipEndpoint } from "./sip-trunks/trunk-check.ts";

/** Resources of the node that each feature may use. */
export interface NodeResources extends Omit<DatabaseConnection, "close" | "lost"> {
  config: Readonly<Config>;
  nodeId: string;
  logger: Logger;
  jobs: JobQueue;
  bus: Bus;
  clock: Clock;
  storage: ObjectStorage;
  media: Pick<MediaPool, "hasFreePlace" | "reserve" | "freePlaces" | "isReady" | "open" | "openWeb">;
  speechPlaces: LocalSpeechPlaces;
  inference: Pick<InferenceProcess, "path" | "prepareSpeech" | "useVoices">;
  /** URL of this server as browsers see it. Usable once the node listens. */
  origin: () => string;
  /** Usable once the node listens. */
  sip: SipEndpoint;
  readiness: Readiness;
  metrics: Metrics;
  /** `undefined` when tracing is disabled. */
  spans: SpanSink | undefined;
}

/**
 * A part of the node: its services, and what it adds to the node's start and end. The node calls these functions in the order
 * of its list of features, `drain` and `close` in the opposite order.
 */
export interface Feature<Services extends object = object> {
  /** Services for other features and tests. */
  services: Services;
  bindRoutes?: (app: FastifyInstance) => void;
  /** Columns of the feature that `Encryption` encrypts. */
  encryptedColumns?: readonly EncryptedColumn[];
  /** Starts the feature's background work. */
  startJobs?: (jobs: Pick<Jobs, "work">) => Promise<void>;
  /** Runs before the node listens; a rejection stops the start. */
  prepare?: () => Promise<void>;
  /** Runs once HTTP and SIP listen. */
  start?: () => Promise<void> | void;
  /** Ends calls and registrations while their dependencies still run. */
  drain?: () => Promise<void>;
  /** Idempotent. Runs after HTTP and SIP are closed. */
  close?: () => Promise<void> | void;
}
