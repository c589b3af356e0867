/** Every environment variable that Parley reads: the one list that the parser, the warnings and the docs share. */
export interface Variable {
  description: string;
  /** As text, the way an operator would write it; absent where there is none. */
  default?: string;
}

export const variables = {
  PARLEY_HTTP_HOST: { description: "Address that the HTTP server listens on.", default: "0.0.0.0" },
  PARLEY_HTTP_PORT: {
    description: "Port of the API, the API reference, health and metrics.",
    default: "8080",
  },
  PARLEY_SIP_PORT: { description: "Port for SIP over UDP and TCP.", default: "5060" },
  PARLEY_SIP_TLS_PORT: {
    description: "Port for SIP over TLS, listened on where PARLEY_SIP_TLS_CERT is set.",
    default: "5061",
  },
  PARLEY_SIP_TLS_CERT: {
    description:
      "PEM file with the certificate for SIP over TLS, those of its issuers behind it. Without it nobody can connect to us by TLS; trunks that we connect to need none.",
  },
  PARLEY_SIP_TLS_KEY: { description: "PEM file with its private key." },
  PARLEY_SIP_TLS_CA: {
    description:
      "PEM file with the authorities that peers' certificates may come from, in place of the public ones.",
  },
  PARLEY_SIP_TLS_VERIFY_CLIENTS: {
    description: "true: who connects by TLS must show a certificate of such an authority.",
    default: "false",
  },
  PARLEY_SIP_TLS_ALLOW_WILDCARDS: {
    description:
      "true: a peer's certificate may name `*.example.com` for sip.example.com, which RFC 5922 forbids and some carriers need.",
    default: "false",
  },
  PARLEY_PUBLIC_ADDRESS: {
    description:
      "IP address under which callers reach this machine, where it is not the one that its packets come from (NAT).",
  },
  PARLEY_RTP_PORTS: { description: "UDP ports for audio, first and last.", default: "20000-29999" },
  PARLEY_PUBLIC_URL: {
    description:
      "URL under which browsers reach this server's HTTP port, as they see it (`https://…`); the one that a request came to " +
      "where absent.",
  },
  PARLEY_WEBRTC_PORTS: {
    description:
      "UDP ports for calls in browsers, first and last. With one for each media process (`30000`, or `30000-30003` for four) " +
      "all calls of a process share it; else each call has its own, and a second one from its first ICE restart on. Where " +
      "ports are shared a browser whose network changes makes a new connection instead.",
    default: "30000-31999",
  },
  PARLEY_STUN_URLS: {
    description: "STUN servers that browsers are told of: `stun:host:port`, with commas between several.",
  },
  PARLEY_TURN_URLS: {
    description:
      "TURN servers that browsers are told of: `turn:host:port?transport=udp`, with commas between several. Needs PARLEY_TURN_SECRET.",
  },
  PARLEY_TURN_SECRET: {
    description:
      "Secret that the TURN servers know (coturn's `static-auth-secret`): each call gets credentials of its own, good for an hour.",
  },
  PARLEY_RTP_TIMEOUT_SECONDS: {
    description:
      "A call whose other side sends neither RTP nor RTCP for so long, not being on hold, is ended. 0: never.",
    default: "60",
  },
  PARLEY_DATA_DIR: { description: "Where Parley keeps its files.", default: "./.parley" },
  PARLEY_MODELS_DIR: {
    description: "Where the speech models are kept.",
    default: "$XDG_CACHE_HOME/parley/models",
  },
  PARLEY_OBJECT_STORAGE_FOLDER: {
    description: "Folder for recordings.",
    default: "$PARLEY_DATA_DIR/objects",
  },
  PARLEY_OBJECT_STORAGE_SHARED: {
    description: "true: this folder is the same on every node.",
    default: "false",
  },
  PARLEY_OBJECT_STORAGE_BUCKET: {
    description: "Bucket of S3, or of a server that speaks it, for recordings in place of the folder.",
  },
  PARLEY_OBJECT_STORAGE_ENDPOINT: {
    description: "URL of that server; browsers fetch recordings there.",
    default: "https://s3.$PARLEY_OBJECT_STORAGE_REGION.amazonaws.com",
  },
  PARLEY_OBJECT_STORAGE_REGION: { description: "Region of the bucket.", default: "us-east-1" },
  PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID: { description: "Required with PARLEY_OBJECT_STORAGE_BUCKET." },
  PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY: { description: "Required with PARLEY_OBJECT_STORAGE_BUCKET." },
  DATABASE_URL: { description: "PostgreSQL to use. Without it Parley runs its own under PARLEY_DATA_DIR." },
  PARLEY_DATABASE_DIRECT_URL: {
    description:
      "Connection to the same database that bypasses a transaction pooler; DATABASE_URL where absent.",
  },
  PARLEY_ENCRYPTION_KEY: {
    description:
      "32 bytes as base64 or hex that encrypt stored credentials. Required with DATABASE_URL; else generated and kept " +
      "in PARLEY_DATA_DIR.",
  },
  PARLEY_ROLES: {
    description: "What this node does. As yet every node does all of it, and other values are refused.",
    default: "api,media,worker",
  },
  PARLEY_OPERATOR_API_KEY: {
    description:
      "Key, in the header x-api-key, for the operator's routes under /operator/v1. Without it they do not exist.",
  },
  PARLEY_BOOTSTRAP_API_KEY: {
    description:
      "An organization with this API key exists after the start. Without it the first start prints a new key.",
  },
  PARLEY_ALLOW_PRIVATE_WEBHOOKS: {
    description: "true: webhooks and tools may reach private and loopback addresses.",
    default: "false",
  },
  PARLEY_MEDIA_PROCESSES: { description: "Processes that carry audio.", default: "one per core to spare" },
  PARLEY_SHUTDOWN_SECONDS: {
    description: "How long running calls may go on after SIGTERM before they are ended.",
    default: "30",
  },
  PARLEY_TRACE_DAYS: {
    description: "How long the SIP messages of calls are kept, passwords and keys masked; 0 keeps none.",
    default: "7",
  },
  PARLEY_TURN_LOG_DAYS: {
    description:
      "How long it is kept how each call's turns were decided, with what the caller said, for `npm run replay`: files " +
      "under PARLEY_DATA_DIR/turn-logs. 0 keeps none.",
    default: "0",
  },
  PARLEY_LOG_LEVEL: { description: "fatal, error, warn, info, debug, trace or silent.", default: "info" },
  PARLEY_STT: {
    description:
      "Speech recognition: local, deepgram or openai; `deepgram,local` loads the local models too, to take over in the same " +
      "turn when Deepgram fails.",
    default: "local",
  },
  PARLEY_TTS: {
    description: "Speech synthesis: local, elevenlabs or openai; `elevenlabs,local` likewise.",
    default: "local",
  },
  DEEPGRAM_API_KEY: { description: "Required with PARLEY_STT=deepgram." },
  DEEPGRAM_BASE_URL: { description: "Another address of the Deepgram API." },
  ELEVENLABS_API_KEY: { description: "Required with PARLEY_TTS=elevenlabs." },
  ELEVENLABS_BASE_URL: { description: "Another address of the ElevenLabs API." },
  PARLEY_SPEECH_BASE_URL: {
    description:
      "Endpoint with OpenAI's audio API for PARLEY_STT=openai and PARLEY_TTS=openai, ending in its version; OpenAI's own where absent.",
  },
  PARLEY_STT_MODEL: {
    description: "Model for PARLEY_STT=openai.",
    default: "gpt-4o-mini-transcribe",
  },
  PARLEY_TTS_MODEL: {
    description: "Model for PARLEY_TTS=openai.",
    default: "gpt-4o-mini-tts",
  },
  PARLEY_LLM_BASE_URL: {
    description: "An OpenAI-compatible endpoint, ending in its version (`https://…/v1`).",
  },
  PARLEY_LLM_API_KEY: { description: "Key for PARLEY_LLM_BASE_URL; OPENAI_API_KEY where absent." },
  PARLEY_LLM_MODEL: { description: "Model at PARLEY_LLM_BASE_URL.", default: "gpt-4o-mini at OpenAI" },
  PARLEY_LLM_GGUF: { description: "Path of a GGUF model that runs on this machine." },
  OPENAI_API_KEY: { description: "Enough by itself to use OpenAI's models." },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      "OpenTelemetry collector (OTLP over HTTP) that gets a trace of each call. Without it nothing is traced.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    description: "Headers for the collector, `name=value` with commas between several.",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
