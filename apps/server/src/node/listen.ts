import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { PageFile } from "@parley/dashboard";
import { type TlsClientOptions, type TlsOptions, UserAgent } from "@parley/sip";
import { registerDiagnosis } from "../doctor/diagnosis.routes.ts";
import type { CheckResult } from "../doctor/finding.ts";
import type { CallControl } from "../modules/phone-calls/call-control.ts";
import type { SipTraceRecorder } from "../modules/sip-traces/sip-trace.recorder.ts";
import type { ActiveCallRegistry } from "../modules/active-calls/active-call-registry.ts";
import { bindModuleRoutes, type Modules } from "../modules/modules.ts";
import type { SipEndpoint } from "../modules/sip-trunks/trunk-check.ts";
import type { Config } from "../platform/config/config.ts";
import { createHttpServer } from "../platform/http/http-server.ts";
import { registerPages } from "../platform/http/pages.ts";
import { registerProbes } from "../platform/http/probes.ts";
import type { Idempotency } from "../platform/idempotency/idempotency.ts";
import { registerFolderRoutes } from "../platform/object-storage/folder-routes.ts";
import { FolderStorage } from "../platform/object-storage/folder-storage.ts";
import type { S3Storage } from "../platform/object-storage/s3-storage.ts";
import type { RateLimiter } from "../platform/rate-limit/rate-limiter.ts";
import type { NodeContext } from "./node-context.ts";
import { everyAddress, explainListenError, nameHttpPort, namePort } from "./ports.ts";

/** @returns where HTTP is answered. @throws Error for the operator where the port cannot be had. */
export async function listenHttp(
  { config, logger, started }: NodeContext,
  modules: Modules,
  memory: { idempotency: Idempotency; rateLimiter: RateLimiter },
  { diagnose, ...probes }: Parameters<typeof registerProbes>[1] & { diagnose: () => Promise<CheckResult[]> },
  storage: FolderStorage | S3Storage,
): Promise<string> {
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    ...memory,
  });
  started.add(async () => await app.close());
  registerProbes(app, probes);
  if (config.operatorApiKey !== undefined)
    registerDiagnosis(app, { operatorApiKey: config.operatorApiKey, diagnose });
  if (storage instanceof FolderStorage) registerFolderRoutes(app, storage);
  bindModuleRoutes(app, modules);
  const { objectStorage } = config;
  registerPages(app, buildPages, {
    callUrl: config.web.publicUrl,
    recordingUrl: objectStorage.type === "s3" ? objectStorage.endpoint : undefined,
    isDevelopment: config.isDevelopment,
  });
  const { host, port } = config.http;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explainListenError(error, nameHttpPort(port));
  }
  const address = app.server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${actualPort}`;
}

async function buildPages(): Promise<readonly PageFile[]> {
  const dashboard = await import("@parley/dashboard");
  return await dashboard.buildPages();
}

/** @throws Error for the operator where a port cannot be had or the certificate cannot be used. */
export async function listenSip(
  { config, logger, started }: NodeContext,
  { control, activeCalls }: { control: CallControl; activeCalls: ActiveCallRegistry },
  traces: SipTraceRecorder | undefined,
): Promise<SipEndpoint> {
  const { port } = config.sip;
  const tls = await readSipTls(config.sip.tls);
  try {
    const agent = await UserAgent.listen({
      bind: everyAddress(port),
      tls,
      ...(config.publicAddress !== undefined && { publicAddress: config.publicAddress }),
      userAgent: "Parley",
      onInvite: (invite) => control.handleInvite(invite),
      screenInvite: async (invite) => await control.screenInvite(invite),
      mayReject: ({ address }) => control.mayReject(address),
      ...(traces !== undefined && { onMessage: (message) => traces.observe(message) }),
      onOptions: () => (activeCalls.isTakingCalls ? 200 : 503),
      onError: (error) => logger.error({ err: error }, "SIP failed"),
      onDropped: (reason) => logger.debug({ reason }, "SIP message dropped"),
    });
    started.add(async () => await agent.close());
    return { agent, tls };
  } catch (error) {
    throw explainListenError(error, namePort(error, config.sip));
  }
}

async function readSipTls({
  authoritiesPath,
  allowsWildcards,
  server,
}: Config["sip"]["tls"]): Promise<TlsClientOptions | (TlsOptions & { port: number })> {
  const peers = {
    allowsWildcards,
    ...(authoritiesPath === undefined
      ? {}
      : { authorities: await readPem(authoritiesPath, "PARLEY_SIP_TLS_CA") }),
  };
  if (server === undefined) return peers;
  const { certificatePath, keyPath, ...rest } = server;
  const options = {
    ...peers,
    ...rest,
    certificate: await readPem(certificatePath, "PARLEY_SIP_TLS_CERT"),
    privateKey: await readPem(keyPath, "PARLEY_SIP_TLS_KEY"),
  };
  try {
    createSecureContext({ cert: options.certificate, key: options.privateKey });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      `PARLEY_SIP_TLS_CERT and PARLEY_SIP_TLS_KEY are not a valid certificate and key: ${message}`,
      {
        cause: error,
      },
    );
  }
  return options;
}

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${variable} cannot be read: ${message}`, { cause: error });
  }
}
