import { deleteCustomerRoute } from "@parley/contract";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallDeletionService } from "../call-deletion/call-deletion.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { TextConversationsService } from "../chats/text-conversations.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { CustomersService } from "../customers/customers.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { CustomerDeletionService } from "./customer-deletion.service.ts";

interface Dependencies {
  customers: CustomersService;
  conversations: ConversationsService;
  calls: CallsService;
  callDeletion: CallDeletionService;
  textConversations: TextConversationsService;
}

export function createCustomerDeletion({ database }: NodeResources, dependencies: Dependencies) {
  const deletion = new CustomerDeletionService({ database, ...dependencies });
  return {
    services: {},
    bindRoutes: (app) => {
      bindRoute(app, deleteCustomerRoute, async ({ principal, params }) => {
        await deletion.delete(principal.organizationId, params.id);
        return { data: { id: params.id, deleted: true as const } };
      });
    },
  } satisfies Feature;
}
