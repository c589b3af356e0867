import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema, timestampSchema } from "../schemas.ts";
import { contactOutcomes } from "./campaign-contacts.ts";

/** Intervals that an answer has, unless the campaign lasts for more days. */
export const MAX_ACTIVITY_INTERVALS = 96;

const attemptOutcomes = contactOutcomes.filter((outcome) => outcome !== "do_not_call");

const activitySchema = Type.Object(
  {
    intervalSeconds: Type.Integer({
      minimum: 60,
      description: `Length of each interval: the shortest usual one with which there are at most ${MAX_ACTIVITY_INTERVALS}, up to a day.`,
    }),
    intervals: Type.Array(
      Type.Object({
        startsAt: timestampSchema,
        attempts: Type.Object(
          Object.fromEntries(attemptOutcomes.map((outcome) => [outcome, Type.Integer({ minimum: 0 })])),
          { description: "Attempts that ended in the interval, by outcome." },
        ),
        contactsDone: Type.Integer({
          minimum: 0,
          description: "Contacts that got their final status in the interval.",
        }),
      }),
      {
        description:
          "Intervals without a gap, from the first to the last in which something happened. Empty before the first attempt.",
      },
    ),
  },
  { title: "CampaignActivity" },
);
export type CampaignActivity = Static<typeof activitySchema>;

export const getCampaignActivityRoute = defineRoute({
  method: "GET",
  path: "/campaigns/{id}/activity",
  operationId: "getCampaignActivity",
  tag: "Campaigns",
  summary: "Get the outcomes of a campaign over time",
  params: Type.Object({ id: { ...idSchema, description: "Id of the campaign." } }),
  status: 200,
  response: dataOf(activitySchema),
});
