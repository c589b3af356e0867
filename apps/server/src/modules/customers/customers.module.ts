import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { bindCustomerRoutes } from "./customers.routes.ts";
import { CustomersService } from "./customers.service.ts";
import { ConversationMemory } from "./memory/conversation-memory.ts";

interface Dependencies {
  conversations: ConversationsService;
}

export function createCustomers({ database, clock }: NodeResources, { conversations }: Dependencies) {
  const customers = new CustomersService(database, clock);
  return {
    services: { customers, memory: new ConversationMemory({ conversations, customers }) },
    bindRoutes: (app) => bindCustomerRoutes(app, customers),
    startJobs: async (jobs) => {
      await jobs.work({
        name: "delete-silent-visitors",
        cron: "47 3 * * *",
        run: async () => await customers.deleteSilent(),
      });
    },
  } satisfies Feature;
}
