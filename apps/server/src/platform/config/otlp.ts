import type { EnvironmentReader } from "./environment-reader.ts";

/** OpenTelemetry collector for traces. */
export interface OtlpConfig {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

export function readOtlp(reader: EnvironmentReader): OtlpConfig | undefined {
  const endpoint = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: reader.parse("OTEL_EXPORTER_OTLP_HEADERS", parseHeaders) ?? {} };
}

/** Parses `name=value` pairs separated by commas with percent-encoded values, like OpenTelemetry's own libraries. */
function parseHeaders(value: string): Record<string, string> {
  const pairs = value.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  if (pairs.some((pair) => pair === null)) throw new Error("must be name=value pairs separated by commas");
  return Object.fromEntries(
    pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]),
  );
}
