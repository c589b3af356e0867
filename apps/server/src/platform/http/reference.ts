import { buildOpenApi } from "@parley/contract";
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

/** Serves `/openapi.json` and the reference at `/docs`. Everything the page needs comes from this server. */
export async function registerReference(app: FastifyInstance): Promise<void> {
  const document = JSON.stringify(buildOpenApi());
  app.get("/openapi.json", async (_request, reply) => await reply.type("application/json").send(document));
  await app.register(scalar, {
    routePrefix: "/docs",
    logLevel: "silent",
    configuration: {
      url: "/openapi.json",
      pageTitle: "Parley API",
      theme: "kepler",
      // Each of these would fetch from, or lead to, somebody else's server.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}
