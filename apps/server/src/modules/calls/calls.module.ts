import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { CallStatistics } from "./call-statistics.service.ts";
import { bindCallRoutes } from "./calls.routes.ts";
import { CallsService, type RecordingLinks } from "./calls.service.ts";

export function createCalls(
  { database }: NodeResources,
  { conversations, recordings }: { conversations: ConversationsService; recordings: RecordingLinks },
) {
  const calls = new CallsService(database, { conversations, recordingLinks: recordings });
  return {
    services: { calls, callStatistics: new CallStatistics(database) },
    bindRoutes: (app) => bindCallRoutes(app, calls),
  } satisfies Feature;
}
