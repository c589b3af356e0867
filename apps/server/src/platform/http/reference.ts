import { buildOpenApi } from "@parley/contract";
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

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
export async function registerReference(app: FastifyInstance): Promise<void> {
  const document = JSON.stringify(buildOpenApi());
  app.get("/openapi.json", async (_request, reply) => await reply.type("application/json").send(document));
  await app.register(scalar, {
    routePrefix: "/docs",
    logLevel: "silent",
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
}
