import {
  modelProviderIds,
  type ProviderVariable,
  recognizerIds,
  voiceProviderIds,
} from "@parley/providers/registry";
import { listProviderVariables } from "./provider-access.ts";

/** All environment variables that Parley reads: the list for the parser, the warnings and the docs. */
export interface Variable {
  description: string;
  /** Default as the text of the variable. Absent: no default. */
  default?: string;
}

const ownVariables = {
  PARLEY_HTTP_HOST: { description: "Address that the HTTP server listens on.", default: "0.0.0.0" },
  PARLEY_HTTP_PORT: {
    description: "Port of the API, the API reference, health and metrics.",
    default: "8080",
  },
  PARLEY_TRUSTED_PROXIES: {
    description:
      "Addresses of the proxies in front of the HTTP port, separated by commas: IP addresses or networks such as `10.0.0.0/8`. From them the client's address is read from `X-Forwarded-For`, for limits per address and the audit log. Default: none, so that all clients of a proxy count as one.",
  },
  PARLEY_SIP_PORT: { description: "Port for SIP over UDP and TCP.", default: "5060" },
  PARLEY_SIP_TLS_PORT: {
    description: "Port for SIP over TLS. Opened if PARLEY_SIP_TLS_CERT is set.",
    default: "5061",
  },
  PARLEY_SIP_TLS_CERT: {
    description:
      "PEM file with the certificate chain for SIP over TLS. Without it Parley accepts no TLS connections; trunks that Parley connects to do not need it.",
  },
  PARLEY_SIP_TLS_KEY: { description: "PEM file with the private key of PARLEY_SIP_TLS_CERT." },
  PARLEY_SIP_TLS_CA: {
    description:
      "PEM file with the certificate authorities trusted for SIP peers, instead of the public ones.",
  },
  PARLEY_SIP_TLS_VERIFY_CLIENTS: {
    description: "true: clients that connect by TLS must present a certificate of a trusted authority.",
    default: "false",
  },
  PARLEY_SIP_TLS_ALLOW_WILDCARDS: {
    description:
      "true: accept a wildcard certificate (`*.example.com`) for sip.example.com. RFC 5922 §7.2 forbids it, but some carriers need it.",
    default: "false",
  },
  PARLEY_PUBLIC_ADDRESS: {
    description:
      "Public IP address of this machine, if it is behind NAT. Default: the source address of its packets.",
  },
  PARLEY_RTP_PORTS: {
    description: "UDP ports for the audio of phone calls, first and last.",
    default: "20000-29999",
  },
  PARLEY_PUBLIC_URL: {
    description:
      "Public URL of this server's HTTP port (`https://…`), for links in mails and of invitations, and for browser calls. With https, session cookies are Secure. Default: the local address, and for browser calls the URL of the request.",
  },
  PARLEY_WEBRTC_PORTS: {
    description:
      "UDP ports for browser calls, first and last. With exactly one port per media process (`30000`, or `30000-30003` for " +
      "four), all calls of a process share its port. With more, each call has its own port, and a second one after an ICE " +
      "restart. With shared ports, a browser reconnects instead of restarting ICE when its network changes.",
    default: "30000-31999",
  },
  PARLEY_STUN_URLS: {
    description: "STUN servers for browsers: `stun:host:port`, separated by commas.",
  },
  PARLEY_TURN_URLS: {
    description:
      "TURN servers for browsers: `turn:host:port?transport=udp`, separated by commas. Needs PARLEY_TURN_SECRET.",
  },
  PARLEY_TURN_SECRET: {
    description:
      "Shared secret of the TURN servers (coturn's `static-auth-secret`). Each call gets its own credentials, valid for one hour.",
  },
  PARLEY_RTP_TIMEOUT_SECONDS: {
    description:
      "Seconds without RTP and RTCP from the other side after which a call ends, unless it is on hold. 0: never.",
    default: "60",
  },
  PARLEY_DATA_DIR: { description: "Folder for Parley's files.", default: "./.parley" },
  PARLEY_MODELS_DIR: {
    description: "Folder for the speech models.",
    default: "$XDG_CACHE_HOME/parley/models",
  },
  PARLEY_OBJECT_STORAGE_FOLDER: {
    description: "Folder for recordings.",
    default: "$PARLEY_DATA_DIR/objects",
  },
  PARLEY_OBJECT_STORAGE_SHARED: {
    description: "true: all nodes share PARLEY_OBJECT_STORAGE_FOLDER.",
    default: "false",
  },
  PARLEY_OBJECT_STORAGE_BUCKET: {
    description: "Bucket for recordings in S3 or a compatible server, instead of a folder.",
  },
  PARLEY_OBJECT_STORAGE_ENDPOINT: {
    description: "URL of the S3 server. Browsers download recordings from it.",
    default: "https://s3.$PARLEY_OBJECT_STORAGE_REGION.amazonaws.com",
  },
  PARLEY_OBJECT_STORAGE_REGION: { description: "Region of the bucket.", default: "us-east-1" },
  PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID: {
    description: "Access key of the bucket. Required with PARLEY_OBJECT_STORAGE_BUCKET.",
  },
  PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY: {
    description: "Secret of the access key. Required with PARLEY_OBJECT_STORAGE_BUCKET.",
  },
  DATABASE_URL: {
    description: "URL of the PostgreSQL database. Default: an embedded PostgreSQL in PARLEY_DATA_DIR.",
  },
  PARLEY_DATABASE_DIRECT_URL: {
    description: "URL of the same database that bypasses a transaction pooler. Default: DATABASE_URL.",
  },
  PARLEY_ENCRYPTION_KEY: {
    description:
      "Key that encrypts stored credentials: 32 bytes in base64 or hex. Several, separated by commas: the first one encrypts. " +
      "Required with DATABASE_URL. Default: generated and " +
      "stored in PARLEY_DATA_DIR.",
  },
  PARLEY_OPERATOR_API_KEY: {
    description:
      "API key (header x-api-key) for the operator's routes under /operator/v1. Without it only users who are operators can use them.",
  },
  PARLEY_SMTP_URL: {
    description:
      "SMTP server for invitations and forgotten passwords: `smtp://user:password@host:587`, or `smtps://…:465`. Without it an inviter gets the link, and the operator resets passwords. Needs PARLEY_MAIL_FROM.",
  },
  PARLEY_MAIL_FROM: { description: "Sender of e-mail: `Parley <parley@example.com>`." },
  PARLEY_BOOTSTRAP_API_KEY: {
    description:
      "API key to create at start, with an organization if there is none. Without it the first start creates and prints a key.",
  },
  PARLEY_ALLOW_PRIVATE_WEBHOOKS: {
    description: "true: webhooks and custom tools can reach private and loopback addresses.",
    default: "false",
  },
  PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS: {
    description:
      "true: POST /v1/sip-trunks/{id}/check connects to private and loopback addresses. Calls and the doctor reach them in any case.",
    default: "false",
  },
  PARLEY_TWILIO_BASE_URL: {
    description:
      "URL of a server that speaks Twilio's API, in place of Twilio's hosts: for tests, or for a proxy. It may be private.",
  },
  PARLEY_MEDIA_PROCESSES: { description: "Number of media processes.", default: "one per core to spare" },
  PARLEY_DISK_RESERVE_MB: {
    description:
      "Free megabytes on the disk of PARLEY_DATA_DIR below which calls are no longer recorded, so that the database can " +
      "still write.",
    default: "1024",
  },
  PARLEY_CALL_RESERVE_PERCENT: {
    description:
      "Percentage of a node's places for calls that is left to organizations with few calls there, if the installation has several organizations. 0: none.",
    default: "20",
  },
  PARLEY_SHUTDOWN_SECONDS: {
    description: "Seconds for calls in progress to end after SIGTERM. They are then hung up.",
    default: "30",
  },
  PARLEY_TRACE_DAYS: {
    description:
      "Days to keep the SIP messages of calls, with passwords and keys masked. 0: none are stored.",
    default: "7",
  },
  PARLEY_TURN_LOG_DAYS: {
    description:
      "Days to keep turn logs in PARLEY_DATA_DIR/turn-logs, for `npm run replay`. They contain the callers' words. 0: none " +
      "are written.",
    default: "0",
  },
  PARLEY_AUDIT_LOG_DAYS: {
    description: "Days to keep the audit log of what people and keys did.",
    default: "365",
  },
  PARLEY_LOG_LEVEL: {
    description: "Lowest level that is logged: fatal, error, warn, info, debug, trace or silent.",
    default: "info",
  },
  NODE_ENV: {
    description: "`development` makes pages reload themselves after a restart; `npm run dev` sets it.",
  },
  PARLEY_STT: {
    description:
      `Speech recognition: ${listNames(["local", ...recognizerIds])}. With \`${recognizerIds[0]},local\`, and so on, the local models ` +
      "take over in the same turn if the provider fails.",
    default: "local",
  },
  PARLEY_TTS: {
    description:
      `Voices of agents that name none: ${listNames(["local", ...voiceProviderIds])}. Agents can name the voices of every ` +
      "provider whose key is set. With `elevenlabs,local`, and so on, the local voices take over in the same turn if the " +
      "provider fails.",
    default: "local",
  },
  PARLEY_LOCAL_VOICE: {
    description: "Local voice of agents that name none, for example `dittli/male`.",
    default: "chosen by measured speed",
  },
  PARLEY_TESTER_VOICE: {
    description: "Voice of the testers that call agents in test runs: an id of `GET /voices`.",
    default: "in English dittli/male if the agent has another voice, otherwise that of agents that name none",
  },
  PARLEY_LOCAL_VOICE_THREADS: {
    description: "Threads of the Kokoro voices.",
    default: "1 or 2, chosen by measured speed",
  },
  PARLEY_LOCAL_RECOGNIZER: {
    description: "Local recognition model: base or tiny.",
    default: "chosen by measured speed",
  },
  PARLEY_INBOUND_RESERVE_PERCENT: {
    description:
      "Share of a node's places for calls that campaigns and test runs leave free for inbound calls and `POST /calls`, rounded down. 0: none; 100: the node dials for no campaign and carries no voice test.",
    default: "20",
  },
  PARLEY_LOCAL_CALLS: {
    description: "Maximum number of simultaneous calls with local recognition or a local voice.",
    default: "from measured speeds and cores",
  },
  PARLEY_STT_MODEL: { description: "Model of the provider in PARLEY_STT.", default: "chosen by provider" },
  PARLEY_TTS_MODEL: { description: "Model of the provider in PARLEY_TTS.", default: "chosen by provider" },
  PARLEY_LLM: {
    description: `Provider of the default language model: ${listNames(modelProviderIds)}. Agents can name the models of every provider whose key is set.`,
    default: "the first one that is configured, after PARLEY_LLM_BASE_URL and PARLEY_LLM_GGUF",
  },
  PARLEY_LLM_MODEL: {
    description: "Default language model, at its provider. Required with PARLEY_LLM_BASE_URL.",
    default: "chosen by provider",
  },
  PARLEY_LLM_FALLBACK: {
    description:
      "Language model that takes over when another one fails, in the same turn, as `provider/model`. Its provider's key must be set.",
  },
  PARLEY_LLM_GGUF: {
    description:
      "GGUF language model that runs on this machine: the path of a file, or `hf:owner/repo:quant`, which the first start downloads into PARLEY_MODELS_DIR.",
  },
  PARLEY_LLM_CONTEXT_TOKENS: {
    description:
      "Context window of the language models, in tokens: a number, or `model=number` for one model, separated by commas. " +
      "Older turns of a longer conversation are left out of the prompt.",
    default: "by the model's name, else 32768; 4096 for PARLEY_LLM_GGUF",
  },
  PARLEY_EMBEDDINGS_MODEL: {
    description:
      "Model of an OpenAI-compatible server that embeds knowledge bases, in place of the local model for English. Existing documents are then embedded again.",
  },
  PARLEY_EMBEDDINGS_BASE_URL: {
    description:
      "URL of the server of PARLEY_EMBEDDINGS_MODEL, ending in its version (`https://…/v1`). Default: OpenAI.",
  },
  PARLEY_EMBEDDINGS_API_KEY: {
    description:
      "API key of the server of PARLEY_EMBEDDINGS_MODEL. Default: OPENAI_API_KEY at OpenAI, none at another server.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      "URL of the OpenTelemetry collector (OTLP over HTTP) for call traces. Without it tracing is disabled.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    description: "Headers for the collector: `name=value`, separated by commas.",
  },
} as const satisfies Record<string, Variable>;

/** The variables of this server, and those of the providers. */
export const variables: typeof ownVariables & Record<ProviderVariable, Variable> = {
  ...ownVariables,
  ...listProviderVariables(),
};

export type VariableName = keyof typeof variables;

function listNames(names: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "disjunction" }).format(names);
}
