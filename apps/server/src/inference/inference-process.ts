import type { InferenceServer } from "@parley/providers/local";
import type { InferenceConfiguration } from "./inference-protocol.ts";
import { runChild } from "../platform/child-main.ts";

/** The process that holds the local models, loaded once for all calls of the node. */
let server: Promise<InferenceServer> | undefined;

async function serve(configuration: InferenceConfiguration): Promise<InferenceServer> {
  const { serveInference } = await import("@parley/providers/local");
  const { loadHandlers } = await import("./load-handlers.ts");
  const { handlers, warmUpRest, close } = await loadHandlers(configuration);
  const serving = await serveInference({ path: configuration.path, handlers });
  // Where it fails, whoever needs it is told when they ask for it.
  warmUpRest().catch(() => {});
  return {
    close: async () => {
      await serving.close();
      await close();
    },
  };
}

const { send } = runChild<InferenceConfiguration, never>({
  onMessage: (configuration) => {
    server = serve(configuration);
    server.then(
      () => send({ type: "ready" }),
      (error: unknown) => {
        process.stderr.write(
          `The local models cannot be loaded: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        process.exit(1);
      },
    );
  },
  close: async () => await (await server)?.close(),
});
