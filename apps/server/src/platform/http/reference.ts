import { buildOpenApi } from "@parley/contract";
import { type FastifyInstance, fastify } from "fastify";

/** Whatever the page's script may have in mind: it talks to this server alone. */
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

/** Serves `/openapi.json` and the reference at `/docs`. Everything the page needs comes from this server. */
export function registerReference(app: FastifyInstance): void {
  let document: string | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    document ??= JSON.stringify(buildOpenApi());
    return await reply.type("application/json").send(document);
  });
  let pages: Promise<FastifyInstance> | undefined;
  app.addHook("onClose", async () => await (await pages)?.close());
  for (const url of ["/docs", "/docs/*"]) {
    app.get(url, { logLevel: "silent" }, async (request, reply) => {
      const answer = await (await (pages ??= createPages())).inject(request.url);
      return await reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
    });
  }
}

/** A server of their own, which listens nowhere: what makes them is large, and loaded with the first request for them. */
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
      // Each of these would fetch from, or lead to, somebody else's server.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      // Else trying a request out would send it, API key included, through the vendor's proxy.
      proxyUrl: "",
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return pages;
}
