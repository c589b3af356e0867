import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { MessagesService } from "./messages.service.ts";

export function endIdleThreadsJob(messages: Pick<MessagesService, "endIdle">): JobKind<object> {
  return {
    name: "end-idle-message-threads",
    cron: "11 * * * *",
    run: async () => await messages.endIdle(),
  };
}
