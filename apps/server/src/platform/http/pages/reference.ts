import { buildOpenApi } from "@parley/contract";
import { type FastifyInstance, type FastifyReply, fastify } from "fastify";

const PREFIX = "/reference";
/** Restricts the page's script to this server, and the page to the dashboard's frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join("; ");

const configuration = {
  url: "/openapi.json",
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
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Parley API</title>
    <script src="js/scheme.js"></script>
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script src="js/start.js"></script>
  </body>
</html>
`;

/**
 * Follows the color scheme that the dashboard writes on the frame around the page: before the library is loaded, so that the frame
 * is not white in the dark meanwhile, and when it changes. The library shows a scheme by a class of the body, and takes its own
 * back when the system's scheme changes.
 */
const SCHEME = `const frame = window.frameElement;
const applyScheme = () => {
  const { scheme } = frame.dataset;
  document.documentElement.style.colorScheme = scheme;
  document.body?.classList.toggle("dark-mode", scheme === "dark");
  document.body?.classList.toggle("light-mode", scheme !== "dark");
};
if (frame !== null) {
  const changes = new MutationObserver(applyScheme);
  changes.observe(frame, { attributeFilter: ["data-scheme"] });
  document.addEventListener("DOMContentLoaded", () => changes.observe(document.body, { attributeFilter: ["class"] }));
  applyScheme();
}
`;

/** The dashboard writes its color scheme and the API key that it is signed in with on the frame around the page. */
const START = `const { scheme, apiKey } = window.frameElement?.dataset ?? {};
Scalar.createApiReference("#app", {
  ...${JSON.stringify(configuration)},
  ...(scheme && { forceDarkModeState: scheme, hideDarkModeToggle: true }),
  ...(apiKey && {
    authentication: { preferredSecurityScheme: "apiKey", securitySchemes: { apiKey: { value: apiKey } } },
  }),
});
`;

/**
 * Serves `/openapi.json`, and the reference as a page of its own, which the dashboard frames at `/docs`. All resources of the
 * page come from this server.
 */
export function registerReference(app: FastifyInstance): void {
  let document: Buffer | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(buildOpenApi()));
    return await reply.type("application/json").send(document);
  });
  const sendScript = async (reply: FastifyReply, script: Buffer | string): Promise<FastifyReply> =>
    await reply.type("text/javascript; charset=utf-8").send(script);
  app.get(PREFIX, { logLevel: "silent" }, async (_request, reply) => await reply.redirect(`${PREFIX}/`, 301));
  app.get(`${PREFIX}/`, { logLevel: "silent" }, async (_request, reply) => {
    return await reply
      .header("content-security-policy", CONTENT_SECURITY_POLICY)
      .type("text/html; charset=utf-8")
      .send(PAGE);
  });
  app.get(`${PREFIX}/js/scheme.js`, { logLevel: "silent" }, async (_request, reply) => {
    return await sendScript(reply, SCHEME);
  });
  app.get(`${PREFIX}/js/start.js`, { logLevel: "silent" }, async (_request, reply) => {
    return await sendScript(reply, START);
  });
  // Slow readers share one copy in memory: the script has some MB.
  let script: Promise<Buffer> | undefined;
  app.get(`${PREFIX}/js/scalar.js`, { logLevel: "silent" }, async (_request, reply) => {
    return await sendScript(reply, await (script ??= loadScript()));
  });
}

/** Script of the page: the package that contains it is large, and loaded with the first request. */
async function loadScript(): Promise<Buffer> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  // A server that does not listen.
  const pages = fastify();
  try {
    await pages.register(scalar, { routePrefix: PREFIX, configuration: { url: configuration.url } });
    const { rawPayload } = await pages.inject(`${PREFIX}/js/scalar.js`);
    return rawPayload;
  } finally {
    await pages.close();
  }
}
