import { isIP } from "node:net";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import { parseEncryptionKey } from "../encryption/encryption.ts";
import { type VariableName, nearestVariable, variables } from "./variables.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const roles = ["api", "media", "worker"] as const;
type Role = (typeof roles)[number];

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/** A server with OpenAI's audio API. */
interface OpenAiSpeechConfig {
  provider: "openai";
  baseUrl: string;
  apiKey?: string;
  model?: string;
}
type SpeechToTextConfig =
  | { provider: "local" }
  | { provider: "deepgram"; apiKey: string; baseUrl?: string }
  | OpenAiSpeechConfig;
type TextToSpeechConfig =
  | { provider: "local" }
  | { provider: "elevenlabs"; apiKey: string; baseUrl?: string }
  | OpenAiSpeechConfig;
type LanguageModelConfig =
  | { provider: "openai-compatible"; baseUrl: string; apiKey?: string; model: string }
  | { provider: "gguf"; path: string }
  | { provider: "builtin-responder" };

/** Paths are of PEM files. */
interface SipTlsConfig {
  /** Undefined: the authorities that Node knows. */
  authoritiesPath: string | undefined;
  allowsWildcards: boolean;
  /** Undefined: nobody connects to us, and servers that we connect to get no certificate of ours. */
  server:
    | { port: number; certificatePath: string; keyPath: string; isClientCertificateRequired: boolean }
    | undefined;
}

/** Calls in browsers. */
interface WebConfig {
  /** Without a slash at its end. Undefined: what the request came to. */
  publicUrl: string | undefined;
  /** Both ends included; at least one for each media process. */
  ports: { first: number; last: number };
  stunUrls: readonly string[];
  turn: { urls: readonly string[]; secret: string } | undefined;
}

export type ObjectStorageConfig =
  | { type: "folder"; folder: string; isShared: boolean }
  | {
      type: "s3";
      endpoint: string;
      region: string;
      bucket: string;
      accessKeyId: string;
      secretAccessKey: string;
    };

export interface Config {
  http: { host: string; port: number };
  sip: { port: number; tls: SipTlsConfig };
  /** Undefined: the address that our packets to the peer come from. */
  publicAddress: string | undefined;
  /** Both ends included. */
  rtpPorts: { first: number; last: number };
  web: WebConfig;
  /** Infinity: never. */
  rtpTimeoutMs: number;
  /** Absolute. */
  dataDirectory: string;
  modelsDirectory: string;
  objectStorage: ObjectStorageConfig;
  /** Undefined: the embedded PostgreSQL. */
  database: { url: string; directUrl: string } | undefined;
  encryptionKey: Buffer | undefined;
  roles: ReadonlySet<Role>;
  bootstrapApiKey: string | undefined;
  isPrivateWebhookAllowed: boolean;
  mediaProcesses: number;
  shutdownSeconds: number;
  /** 0: no traces are kept. */
  traceDays: number;
  /** 0: how turns were decided is not written down. */
  turnLogDays: number;
  logLevel: LogLevel;
  speechToText: SpeechToTextConfig;
  textToSpeech: TextToSpeechConfig;
  languageModel: LanguageModelConfig;
  /** The OpenTelemetry collector that traces go to. */
  otlp: { endpoint: string; headers: Readonly<Record<string, string>> } | undefined;
  /** Local models that are loaded: to be used, or to take over when the provider fails. */
  localSpeech: { hasSpeechToText: boolean; hasTextToSpeech: boolean };
}

/** The environment is not usable; `problems` has one line for each bad variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

const OPENAI_BASE_URL = "https://api.openai.com/v1";
const OPENAI_MODEL = "gpt-4o-mini";
const LEAST_KEY_CHARACTERS = 16;

/**
 * Reads the environment, once. `warnings` has a line for each variable that looks meant for us and is not known.
 * Throws `ConfigError` naming everything that is wrong.
 */
export function parseConfig(environment: Environment): { config: Readonly<Config>; warnings: string[] } {
  const reader = new Reader(environment);
  const dataDirectory = path.resolve(reader.text("PARLEY_DATA_DIR") ?? variables.PARLEY_DATA_DIR.default);
  const speechToText = readSpeechToText(reader);
  const textToSpeech = readTextToSpeech(reader);
  const config: Config = {
    http: {
      host: reader.text("PARLEY_HTTP_HOST") ?? variables.PARLEY_HTTP_HOST.default,
      port: reader.integer("PARLEY_HTTP_PORT", 0, 65_535) ?? Number(variables.PARLEY_HTTP_PORT.default),
    },
    sip: {
      port: reader.integer("PARLEY_SIP_PORT", 0, 65_535) ?? Number(variables.PARLEY_SIP_PORT.default),
      tls: readSipTls(reader),
    },
    publicAddress: reader.parse("PARLEY_PUBLIC_ADDRESS", parseIpAddress),
    rtpPorts:
      reader.parse("PARLEY_RTP_PORTS", parsePortRange) ?? parsePortRange(variables.PARLEY_RTP_PORTS.default),
    web: readWeb(reader),
    rtpTimeoutMs: readRtpTimeout(reader),
    dataDirectory,
    modelsDirectory: path.resolve(reader.text("PARLEY_MODELS_DIR") ?? defaultModelsDirectory(environment)),
    objectStorage: readObjectStorage(reader, dataDirectory),
    database: readDatabase(reader),
    encryptionKey: reader.parse("PARLEY_ENCRYPTION_KEY", parseEncryptionKey),
    roles: reader.parse("PARLEY_ROLES", parseRoles) ?? new Set(roles),
    bootstrapApiKey: reader.parse("PARLEY_BOOTSTRAP_API_KEY", parseBootstrapKey),
    isPrivateWebhookAllowed: reader.boolean("PARLEY_ALLOW_PRIVATE_WEBHOOKS") ?? false,
    mediaProcesses:
      reader.integer("PARLEY_MEDIA_PROCESSES", 1, 256) ?? Math.max(1, availableParallelism() - 1),
    shutdownSeconds:
      reader.integer("PARLEY_SHUTDOWN_SECONDS", 0, 3_600) ??
      Number(variables.PARLEY_SHUTDOWN_SECONDS.default),
    traceDays: reader.integer("PARLEY_TRACE_DAYS", 0, 365) ?? Number(variables.PARLEY_TRACE_DAYS.default),
    turnLogDays:
      reader.integer("PARLEY_TURN_LOG_DAYS", 0, 365) ?? Number(variables.PARLEY_TURN_LOG_DAYS.default),
    logLevel: reader.oneOf("PARLEY_LOG_LEVEL", logLevels) ?? variables.PARLEY_LOG_LEVEL.default,
    speechToText: speechToText.provider,
    textToSpeech: textToSpeech.provider,
    languageModel: readLanguageModel(reader),
    otlp: readOtlp(reader),
    localSpeech: { hasSpeechToText: speechToText.hasLocal, hasTextToSpeech: textToSpeech.hasLocal },
  };
  if (config.database !== undefined && reader.text("PARLEY_ENCRYPTION_KEY") === undefined) {
    reader.report("PARLEY_ENCRYPTION_KEY is required with DATABASE_URL (make one: openssl rand -base64 32)");
  }
  const webPorts = config.web.ports.last - config.web.ports.first + 1;
  if (webPorts < config.mediaProcesses)
    reader.report(
      `PARLEY_WEBRTC_PORTS must have a port for each of the ${config.mediaProcesses} media processes`,
    );
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  return { config: Object.freeze(config), warnings: unknownVariables(environment) };
}

/** Reads variables by name and gathers what is wrong with them. An empty value counts as none. */
class Reader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  report(problem: string): void {
    this.problems.push(problem);
  }

  text(name: VariableName): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === "" ? undefined : value;
  }

  /** `convert` throws what is wrong, to be read after the variable's name. */
  parse<T>(name: VariableName, convert: (value: string) => T): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return convert(value);
    } catch (error) {
      this.report(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  integer(name: VariableName, minimum: number, maximum: number): number | undefined {
    return this.parse(name, (value) => {
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
      throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${value}"`);
    });
  }

  boolean(name: VariableName): boolean | undefined {
    return this.parse(name, (value) => {
      if (value === "true" || value === "false") return value === "true";
      throw new Error(`must be true or false, not "${value}"`);
    });
  }

  oneOf<const T extends string>(name: VariableName, values: readonly T[]): T | undefined {
    return this.parse(name, (value) => {
      const found = values.find((each) => each === value);
      if (found !== undefined) return found;
      throw new Error(`must be one of ${values.join(", ")}, not "${value}"`);
    });
  }

  url(name: VariableName, protocols: readonly string[]): string | undefined {
    return this.parse(name, (value) => {
      // The value itself is not repeated: it may hold a password.
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol))
        return value.replace(/\/+$/, "");
      throw new Error(`must be a URL that begins with ${protocols.map((each) => `${each}//`).join(" or ")}`);
    });
  }
}

const webProtocols = ["https:", "http:"];

function readObjectStorage(reader: Reader, dataDirectory: string): ObjectStorageConfig {
  const folder = reader.text("PARLEY_OBJECT_STORAGE_FOLDER");
  const isShared = reader.boolean("PARLEY_OBJECT_STORAGE_SHARED");
  const bucket = reader.text("PARLEY_OBJECT_STORAGE_BUCKET");
  const region =
    reader.text("PARLEY_OBJECT_STORAGE_REGION") ?? variables.PARLEY_OBJECT_STORAGE_REGION.default;
  const endpoint = reader.url("PARLEY_OBJECT_STORAGE_ENDPOINT", webProtocols);
  if (bucket === undefined) {
    if (endpoint !== undefined)
      reader.report("PARLEY_OBJECT_STORAGE_ENDPOINT has no effect without PARLEY_OBJECT_STORAGE_BUCKET");
    const chosen = folder ?? path.join(dataDirectory, "objects");
    return { type: "folder", folder: path.resolve(chosen), isShared: isShared ?? false };
  }
  if (folder !== undefined)
    reader.report(
      "PARLEY_OBJECT_STORAGE_FOLDER and PARLEY_OBJECT_STORAGE_BUCKET exclude each other: set one",
    );
  const because = "PARLEY_OBJECT_STORAGE_BUCKET";
  return {
    type: "s3",
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    accessKeyId: requireKey(reader, "PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID", because),
    secretAccessKey: requireKey(reader, "PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY", because),
  };
}

function readDatabase(reader: Reader): Config["database"] {
  const protocols = ["postgres:", "postgresql:"];
  const url = reader.url("DATABASE_URL", protocols);
  const directUrl = reader.url("PARLEY_DATABASE_DIRECT_URL", protocols);
  if (url === undefined) {
    if (directUrl !== undefined)
      reader.report("PARLEY_DATABASE_DIRECT_URL has no effect without DATABASE_URL");
    return undefined;
  }
  return { url, directUrl: directUrl ?? url };
}

function readSipTls(reader: Reader): SipTlsConfig {
  return {
    authoritiesPath: reader.text("PARLEY_SIP_TLS_CA"),
    allowsWildcards: reader.boolean("PARLEY_SIP_TLS_ALLOW_WILDCARDS") ?? false,
    server: readSipTlsServer(reader),
  };
}

function readSipTlsServer(reader: Reader): SipTlsConfig["server"] {
  const port =
    reader.integer("PARLEY_SIP_TLS_PORT", 0, 65_535) ?? Number(variables.PARLEY_SIP_TLS_PORT.default);
  const certificatePath = reader.text("PARLEY_SIP_TLS_CERT");
  const keyPath = reader.text("PARLEY_SIP_TLS_KEY");
  const isClientCertificateRequired = reader.boolean("PARLEY_SIP_TLS_VERIFY_CLIENTS") ?? false;
  if (certificatePath === undefined) {
    if (keyPath !== undefined) reader.report("PARLEY_SIP_TLS_KEY has no effect without PARLEY_SIP_TLS_CERT");
    return undefined;
  }
  if (keyPath === undefined) {
    reader.report("PARLEY_SIP_TLS_KEY is required with PARLEY_SIP_TLS_CERT");
    return undefined;
  }
  return { port, certificatePath, keyPath, isClientCertificateRequired };
}

interface SpeechChoice<Provider> {
  provider: Provider;
  /** The local models are the provider, or stand behind it. */
  hasLocal: boolean;
}

/** One provider, or `provider,local` where local speech takes over when the provider fails. */
function speechProviderIn<const T extends string>(
  names: readonly T[],
): (value: string) => SpeechChoice<T | "local"> {
  return (value) => {
    const [first, second, ...more] = value.split(",").map((each) => each.trim());
    if (first === "local" && second === undefined) return { provider: "local", hasLocal: true };
    const provider = names.find((each) => each === first);
    if (provider !== undefined && (second === undefined || second === "local") && more.length === 0) {
      return { provider, hasLocal: second === "local" };
    }
    throw new Error(
      `must be one of local, ${names.map((each) => `${each}, "${each},local"`).join(", ")}, not "${value}"`,
    );
  };
}

function readSpeechToText(reader: Reader): SpeechChoice<SpeechToTextConfig> {
  const choice = reader.parse("PARLEY_STT", speechProviderIn(["deepgram", "openai"]));
  if (choice === undefined || choice.provider === "local")
    return { provider: { provider: "local" }, hasLocal: true };
  const provider =
    choice.provider === "deepgram"
      ? readDeepgram(reader)
      : readOpenAiSpeech(reader, "PARLEY_STT_MODEL", "PARLEY_STT=openai");
  return { provider, hasLocal: choice.hasLocal };
}

function readTextToSpeech(reader: Reader): SpeechChoice<TextToSpeechConfig> {
  const choice = reader.parse("PARLEY_TTS", speechProviderIn(["elevenlabs", "openai"]));
  if (choice === undefined || choice.provider === "local")
    return { provider: { provider: "local" }, hasLocal: true };
  const provider =
    choice.provider === "elevenlabs"
      ? readElevenLabs(reader)
      : readOpenAiSpeech(reader, "PARLEY_TTS_MODEL", "PARLEY_TTS=openai");
  return { provider, hasLocal: choice.hasLocal };
}

/** OpenAI itself wants a key; a server of one's own may not. */
function readOpenAiSpeech(
  reader: Reader,
  modelVariable: "PARLEY_STT_MODEL" | "PARLEY_TTS_MODEL",
  because: string,
): OpenAiSpeechConfig {
  const baseUrl = reader.url("PARLEY_SPEECH_BASE_URL", webProtocols);
  const apiKey =
    reader.text("PARLEY_SPEECH_BASE_URL") === undefined
      ? requireKey(reader, "OPENAI_API_KEY", because)
      : reader.text("OPENAI_API_KEY");
  const model = reader.text(modelVariable);
  return {
    provider: "openai",
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    ...(apiKey !== undefined && { apiKey }),
    ...(model !== undefined && { model }),
  };
}

function readDeepgram(reader: Reader): SpeechToTextConfig {
  const baseUrl = reader.url("DEEPGRAM_BASE_URL", [...webProtocols, "wss:", "ws:"]);
  return {
    provider: "deepgram",
    apiKey: requireKey(reader, "DEEPGRAM_API_KEY", "PARLEY_STT=deepgram"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

function readElevenLabs(reader: Reader): TextToSpeechConfig {
  const baseUrl = reader.url("ELEVENLABS_BASE_URL", [...webProtocols, "wss:", "ws:"]);
  return {
    provider: "elevenlabs",
    apiKey: requireKey(reader, "ELEVENLABS_API_KEY", "PARLEY_TTS=elevenlabs"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

function requireKey(reader: Reader, name: VariableName, because: string): string {
  const key = reader.text(name);
  if (key === undefined) reader.report(`${name} is required with ${because}`);
  return key ?? "";
}

function readLanguageModel(reader: Reader): LanguageModelConfig {
  const baseUrl = reader.url("PARLEY_LLM_BASE_URL", webProtocols);
  const openAiKey = reader.text("OPENAI_API_KEY");
  const apiKey = reader.text("PARLEY_LLM_API_KEY") ?? openAiKey;
  const model = reader.text("PARLEY_LLM_MODEL");
  const gguf = reader.text("PARLEY_LLM_GGUF");
  if (reader.text("PARLEY_LLM_BASE_URL") !== undefined) {
    if (gguf !== undefined)
      reader.report("PARLEY_LLM_GGUF and PARLEY_LLM_BASE_URL exclude each other: set one");
    if (model === undefined) reader.report("PARLEY_LLM_MODEL is required with PARLEY_LLM_BASE_URL");
    return {
      provider: "openai-compatible",
      baseUrl: baseUrl ?? "",
      model: model ?? "",
      ...(apiKey === undefined ? {} : { apiKey }),
    };
  }
  if (gguf !== undefined) return { provider: "gguf", path: path.resolve(gguf) };
  if (apiKey !== undefined) {
    return { provider: "openai-compatible", baseUrl: OPENAI_BASE_URL, apiKey, model: model ?? OPENAI_MODEL };
  }
  if (model !== undefined) reader.report("PARLEY_LLM_MODEL needs PARLEY_LLM_BASE_URL or an API key");
  return { provider: "builtin-responder" };
}

function defaultModelsDirectory(environment: Environment): string {
  return path.join(environment["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "parley", "models");
}

function readOtlp(reader: Reader): Config["otlp"] {
  const endpoint = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT", webProtocols);
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: reader.parse("OTEL_EXPORTER_OTLP_HEADERS", parseHeaders) ?? {} };
}

/** `name=value` pairs between commas, values percent-encoded, as OpenTelemetry's own libraries read them. */
function parseHeaders(value: string): Record<string, string> {
  const pairs = value.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  if (pairs.some((pair) => pair === null)) throw new Error("must be name=value, with commas between several");
  return Object.fromEntries(
    pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]),
  );
}

function parseIpAddress(value: string): string {
  if (isIP(value) !== 0) return value;
  throw new Error(`must be an IP address, not "${value}"`);
}

function readWeb(reader: Reader): WebConfig {
  const turnUrls = reader.parse("PARLEY_TURN_URLS", iceUrlsOf("turn")) ?? [];
  const secret = reader.text("PARLEY_TURN_SECRET");
  if (turnUrls.length > 0 && secret === undefined)
    reader.report("PARLEY_TURN_SECRET is required with PARLEY_TURN_URLS");
  return {
    publicUrl: reader.url("PARLEY_PUBLIC_URL", webProtocols),
    ports:
      reader.parse("PARLEY_WEBRTC_PORTS", parsePorts) ?? parsePorts(variables.PARLEY_WEBRTC_PORTS.default),
    stunUrls: reader.parse("PARLEY_STUN_URLS", iceUrlsOf("stun")) ?? [],
    turn: turnUrls.length > 0 && secret !== undefined ? { urls: turnUrls, secret } : undefined,
  };
}

/** RFC 7064, RFC 7065. */
function iceUrlsOf(scheme: "stun" | "turn"): (value: string) => string[] {
  const pattern = scheme === "stun" ? /^stuns?:[\w.:[\]-]+$/ : /^turns?:[\w.:[\]-]+(\?transport=(udp|tcp))?$/;
  return (value) => {
    const urls = value.split(",").map((each) => each.trim());
    const wrong = urls.find((url) => !pattern.test(url));
    if (wrong === undefined) return urls;
    throw new Error(`must be URLs like ${scheme}:host:3478, not "${wrong}"`);
  };
}

/** A range, or one port. */
function parsePorts(value: string): { first: number; last: number } {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : undefined;
  if (port !== undefined && port >= 1 && port <= 65_535) return { first: port, last: port };
  return parsePortRange(value);
}

function readRtpTimeout(reader: Reader): number {
  const seconds =
    reader.integer("PARLEY_RTP_TIMEOUT_SECONDS", 0, 86_400) ??
    Number(variables.PARLEY_RTP_TIMEOUT_SECONDS.default);
  return seconds === 0 ? Infinity : seconds * 1000;
}

function parsePortRange(value: string): Config["rtpPorts"] {
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []).map(Number);
  if (first === undefined || last === undefined || first < 1 || last > 65_535 || first >= last) {
    throw new Error(`must be a range of ports like 20000-29999, not "${value}"`);
  }
  return { first, last };
}

function parseRoles(value: string): Set<Role> {
  const names = value.split(",").map((each) => each.trim());
  const found = names.map((name) => roles.find((role) => role === name));
  if (found.some((role) => role === undefined)) {
    throw new Error(`must be a list of ${roles.join(", ")}, not "${value}"`);
  }
  return new Set(found.filter((role) => role !== undefined));
}

function parseBootstrapKey(value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && value.length >= LEAST_KEY_CHARACTERS) return value;
  throw new Error(`must have at least ${LEAST_KEY_CHARACTERS} printable characters and no space`);
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("PARLEY_") && !Object.hasOwn(variables, name))
    .map((name) => {
      const nearest = nearestVariable(name);
      return `${name} is not known${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
    });
}
