import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { ChatsService } from "./chats.service.ts";

export function endIdleChatsJob(chats: Pick<ChatsService, "endIdle">): JobKind<object> {
  return {
    name: "end-idle-chats",
    cron: "* * * * *",
    run: async () => await chats.endIdle(),
  };
}
