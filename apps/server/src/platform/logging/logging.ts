import { type DestinationStream, type Logger, pino } from "pino";
import { REDACTED, redact, redactedNames } from "./redact.ts";

export interface LoggerOptions {
  level: string;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/** Structured logs, one JSON object a line, without what `redact` takes out. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // For what child loggers are bound to, which no formatter sees.
    redact: { paths: [...redactedNames], censor: REDACTED },
    // `redact` has made plain objects of errors; the standard serializer would take them for errors again.
    serializers: { err: (error: unknown) => error },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
