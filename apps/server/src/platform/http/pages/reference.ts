import { buildOpenApi } from "@parley/contract";
import { type FastifyInstance, type LightMyRequestResponse, fastify } from "fastify";
import { AppError } from "../../app-error.ts";

/** Restricts the page's script to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Serves `/openapi.json` and the reference at `/docs`. All resources of the page come from this server. */
export function registerReference(app: FastifyInstance): void {
  let document: Buffer | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(buildOpenApi()));
    return await reply.type("application/json").send(document);
  });
  let pages: Promise<FastifyInstance> | undefined;
  /** By path. Slow readers share one copy in memory: the script has some MB. */
  const answers = new Map<string, LightMyRequestResponse>();
  app.addHook("onClose", async () => await (await pages)?.close());
  for (const url of ["/docs", "/docs/*"]) {
    app.get(url, { logLevel: "silent" }, async (request, reply) => {
      const [path = ""] = request.url.split("?");
      const server = await (pages ??= createPages());
      // Allows only registered paths: a path can be written in many ways.
      if (!server.hasRoute({ method: "GET", url: path })) throw new AppError("not_found");
      const answer = answers.get(path) ?? (await server.inject(path));
      answers.set(path, answer);
      return await reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
    });
  }
}

/** Server that does not listen: the pages' generator is large and loaded with the first request for them. */
async function createPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const pages = fastify();
  await pages.register(scalar, {
    routePrefix: "/docs",
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header("content-security-policy", CONTENT_SECURITY_POLICY);
        done();
      },
    },
    configuration: {
      url: "/openapi.json",
      pageTitle: "Parley API",
      theme: "kepler",
      orderSchemaPropertiesBy: "preserve",
      // Each of these options would load from, or link to, another server.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      // Without this, trial requests would pass through the vendor's proxy, including the API key.
      proxyUrl: "",
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return pages;
}
