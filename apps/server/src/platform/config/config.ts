import { isIP } from "node:net";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import { type DatabaseConfig, readDatabase } from "./database.ts";
import type { EmbeddingEndpoint } from "@parley/providers/embeddings";
import { readEmbeddings } from "./embeddings.ts";
import { type Environment, EnvironmentReader, integerWithin } from "./environment-reader.ts";
import {
  type LanguageModelConfig,
  readLanguageModel,
  readLanguageModelFallback,
  type RemoteModelConfig,
} from "./language-model.ts";
import { type ObjectStorageConfig, readObjectStorage } from "./object-storage.ts";
import { type MailConfig, readMail } from "./mail.ts";
import { type OtlpConfig, readOtlp } from "./otlp.ts";
import { type PortRange, parsePortRange } from "./ports.ts";
import {
  type ProviderAccessById,
  type ProviderBaseUrls,
  readProviderAccess,
  readProviderBaseUrls,
} from "./provider-access.ts";
import { type SipConfig, readSip } from "./sip.ts";
import { type SpeechConfig, readSpeech } from "./speech.ts";
import { unknownVariables } from "./unknown-variables.ts";
import { type WebCallsConfig, readWebCalls } from "./web-calls.ts";

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

const MIN_KEY_CHARACTERS = 16;

export interface Config extends DatabaseConfig, SpeechConfig {
  http: {
    host: string;
    port: number;
    /** Addresses and networks whose `X-Forwarded-For` names the client. */
    trustedProxies: readonly string[];
  };
  sip: SipConfig;
  /** `undefined`: the source address of packets to the peer. */
  publicAddress: string | undefined;
  rtpPorts: PortRange;
  /** `Infinity`: never. */
  rtpTimeoutMs: number;
  web: WebCallsConfig;
  /** Absolute path. */
  dataDirectory: string;
  /** Absolute path. */
  modelsDirectory: string;
  objectStorage: ObjectStorageConfig;
  bootstrapApiKey: string | undefined;
  /** `undefined`: only sessions of operators open the operator's routes. */
  operatorApiKey: string | undefined;
  /** `undefined`: the server sends no mail. */
  mail: MailConfig | undefined;
  /** `undefined`: Twilio's own hosts. */
  twilioBaseUrl: string | undefined;
  isPrivateWebhookAllowed: boolean;
  isPrivateTrunkCheckAllowed: boolean;
  mediaProcesses: number;
  /** Share of a node's places that campaigns leave free for inbound calls. */
  inboundReservePercent: number;
  /** Calls are not recorded while less is free on the disk of the data directory. */
  diskReserveBytes: number;
  /** Part of a node's places for calls that only organizations with few calls take. */
  callReservePercent: number;
  shutdownSeconds: number;
  /** 0: no SIP messages are stored. */
  traceDays: number;
  /** 0: no turn logs are written. */
  turnLogDays: number;
  auditLogDays: number;
  logLevel: LogLevel;
  /** Whether pages reload themselves after a restart. */
  isDevelopment: boolean;
  /** Keys and URLs of the configured providers. */
  providerAccess: ProviderAccessById;
  languageModel: LanguageModelConfig;
  /** Where keys of organizations are sent. */
  providerBaseUrls: ProviderBaseUrls;
  /** Replaces a language model that fails, in the same turn. */
  languageModelFallback: RemoteModelConfig | undefined;
  /** Server that embeds knowledge. `undefined`: the local model does. */
  embeddings: EmbeddingEndpoint | undefined;
  /** `undefined`: tracing is disabled. */
  otlp: OtlpConfig | undefined;
}

/** Invalid environment; `problems` has one line for each invalid variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * Reads the environment, once. `warnings` has one line for each unknown variable whose name begins with `PARLEY_`.
 * Throws `ConfigError` with all problems.
 */
export function parseConfig(environment: Environment): { config: Readonly<Config>; warnings: string[] } {
  const reader = new EnvironmentReader(environment);
  const dataDirectory = path.resolve(reader.textOrDefault("PARLEY_DATA_DIR"));
  const providerAccess = readProviderAccess(reader);
  const mediaProcesses =
    reader.parse("PARLEY_MEDIA_PROCESSES", integerWithin(1, 256)) ?? Math.max(1, availableParallelism() - 1);
  const config: Config = {
    http: {
      host: reader.textOrDefault("PARLEY_HTTP_HOST"),
      port: reader.integer("PARLEY_HTTP_PORT", 0, 65_535),
      trustedProxies: reader.parse("PARLEY_TRUSTED_PROXIES", parseNetworks) ?? [],
    },
    sip: readSip(reader),
    publicAddress: reader.parse("PARLEY_PUBLIC_ADDRESS", parseIpAddress),
    rtpPorts: reader.parseOrDefault("PARLEY_RTP_PORTS", parsePortRange),
    rtpTimeoutMs: reader.integer("PARLEY_RTP_TIMEOUT_SECONDS", 0, 86_400) * 1000 || Infinity,
    web: readWebCalls(reader, mediaProcesses),
    dataDirectory,
    modelsDirectory: path.resolve(reader.text("PARLEY_MODELS_DIR") ?? defaultModelsDirectory(environment)),
    objectStorage: readObjectStorage(reader, dataDirectory),
    ...readDatabase(reader),
    bootstrapApiKey: reader.parse("PARLEY_BOOTSTRAP_API_KEY", parseApiKey),
    operatorApiKey: reader.parse("PARLEY_OPERATOR_API_KEY", parseApiKey),
    mail: readMail(reader),
    twilioBaseUrl: reader.url("PARLEY_TWILIO_BASE_URL"),
    isPrivateWebhookAllowed: reader.boolean("PARLEY_ALLOW_PRIVATE_WEBHOOKS"),
    isPrivateTrunkCheckAllowed: reader.boolean("PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS"),
    mediaProcesses,
    inboundReservePercent: reader.integer("PARLEY_INBOUND_RESERVE_PERCENT", 0, 100),
    diskReserveBytes: reader.integer("PARLEY_DISK_RESERVE_MB", 0, 1_000_000_000) * 1024 * 1024,
    callReservePercent: reader.integer("PARLEY_CALL_RESERVE_PERCENT", 0, 90),
    shutdownSeconds: reader.integer("PARLEY_SHUTDOWN_SECONDS", 0, 3_600),
    traceDays: reader.integer("PARLEY_TRACE_DAYS", 0, 365),
    turnLogDays: reader.integer("PARLEY_TURN_LOG_DAYS", 0, 365),
    auditLogDays: reader.integer("PARLEY_AUDIT_LOG_DAYS", 1, 3_650),
    logLevel: reader.oneOf("PARLEY_LOG_LEVEL", logLevels),
    isDevelopment: reader.text("NODE_ENV") === "development",
    providerAccess,
    ...readSpeech(reader, providerAccess),
    languageModel: readLanguageModel(reader, providerAccess),
    providerBaseUrls: readProviderBaseUrls(reader),
    languageModelFallback: readLanguageModelFallback(reader, providerAccess),
    embeddings: readEmbeddings(reader),
    otlp: readOtlp(reader),
  };
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return { config: Object.freeze(config), warnings: unknownVariables(environment) };
}

function defaultModelsDirectory(environment: Environment): string {
  return path.join(environment["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "parley", "models");
}

function parseNetworks(value: string): string[] {
  const networks = value.split(",").map((each) => each.trim());
  const wrong = networks.find((each) => !isNetwork(each));
  if (wrong === undefined) return networks;
  throw new Error(`must contain IP addresses or networks such as 10.0.0.0/8, not "${wrong}"`);
}

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...others] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && isPrefix && others.length === 0;
}

function parseIpAddress(value: string): string {
  if (isIP(value) !== 0) return value;
  throw new Error(`must be an IP address, not "${value}"`);
}

function parseApiKey(value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && value.length >= MIN_KEY_CHARACTERS) return value;
  throw new Error(`must have at least ${MIN_KEY_CHARACTERS} printable ASCII characters and no spaces`);
}
