import type { EnvironmentReader } from "./environment-reader.ts";

export interface SipConfig {
  port: number;
  tls: SipTlsConfig;
}

/** All paths name PEM files. */
interface SipTlsConfig {
  /** `undefined`: the public authorities of Node.js. */
  authoritiesPath: string | undefined;
  allowsWildcards: boolean;
  /** `undefined`: Parley accepts no TLS connections and presents no client certificate. */
  server:
    | { port: number; certificatePath: string; keyPath: string; isClientCertificateRequired: boolean }
    | undefined;
}

export function readSip(reader: EnvironmentReader): SipConfig {
  return {
    port: reader.integer("PARLEY_SIP_PORT", 0, 65_535),
    tls: {
      authoritiesPath: reader.text("PARLEY_SIP_TLS_CA"),
      allowsWildcards: reader.boolean("PARLEY_SIP_TLS_ALLOW_WILDCARDS"),
      server: readTlsServer(reader),
    },
  };
}

function readTlsServer(reader: EnvironmentReader): SipTlsConfig["server"] {
  const port = reader.integer("PARLEY_SIP_TLS_PORT", 0, 65_535);
  const isClientCertificateRequired = reader.boolean("PARLEY_SIP_TLS_VERIFY_CLIENTS");
  const certificatePath = reader.text("PARLEY_SIP_TLS_CERT");
  if (certificatePath === undefined) {
    if (reader.text("PARLEY_SIP_TLS_KEY") !== undefined)
      reader.report("PARLEY_SIP_TLS_KEY has no effect without PARLEY_SIP_TLS_CERT");
    return undefined;
  }
  const keyPath = reader.requiredText("PARLEY_SIP_TLS_KEY", "PARLEY_SIP_TLS_CERT");
  return { port, certificatePath, keyPath, isClientCertificateRequired };
}
