import { testCustomToolRoute } from "@parley/contract";
import { bindRoute } from "../../platform/http/bind-route.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { CustomToolTests } from "./custom-tool-tests.service.ts";

interface Dependencies {
  agentResolution: AgentResolution;
  toolSigning: ToolSigning;
}

export function createCustomToolTests(
  { config, clock }: NodeResources,
  { agentResolution, toolSigning }: Dependencies,
) {
  const client = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const tests = new CustomToolTests({ client, agentResolution, toolSigning, clock });
  return {
    services: {},
    bindRoutes: (app) =>
      bindRoute(
        app,
        testCustomToolRoute,
        async ({ principal: { organizationId }, params: { id: agentId, toolId }, body }) => {
          const { arguments: given = {}, variables = {}, environment = null } = body;
          const call = { organizationId, agentId, toolId, arguments: given, variables, environment };
          return { data: await tests.test(call) };
        },
        { isRemote: true },
      ),
    close: async () => {
      tests.close();
      await client.close();
    },
  } satisfies Feature;
}
