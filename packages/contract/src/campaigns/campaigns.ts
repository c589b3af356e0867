import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, deletedResponse, idSchema, pageOf, pageQuery } from "../schemas.ts";
import { CONTACTS_BODY_LIMIT_BYTES, MAX_CONTACTS_JSON_VALUES } from "./campaign-contacts.ts";
import {
  campaignCreatedSchema,
  campaignCreationSchema,
  campaignSchema,
  campaignStatuses,
  campaignUpdateSchema,
} from "./campaign.ts";

const params = Type.Object({ id: { ...idSchema, description: "Id of the campaign." } });
const tag = "Campaigns";
const referenceErrors = ["environment_not_found", "from_number_not_on_trunk"] as const;
const startErrors = [...referenceErrors, "agent_not_callable", "campaign_not_startable"] as const;

export const createCampaignRoute = defineRoute({
  method: "POST",
  path: "/campaigns",
  operationId: "createCampaign",
  tag,
  summary: "Create a campaign",
  description:
    "Creates a campaign in status `draft`, or starts it with `start`. Numbers of contacts are normalized to E.164, and each " +
    "number is stored once. One bad contact refuses the whole request; the error names the first 100 by index.",
  body: campaignCreationSchema,
  status: 201,
  response: dataOf(campaignCreatedSchema),
  errors: [...referenceErrors, "destination_not_allowed", "agent_not_callable", "limit_reached"],
  bodyLimitBytes: CONTACTS_BODY_LIMIT_BYTES,
  maxJsonValues: MAX_CONTACTS_JSON_VALUES,
});

export const listCampaignsRoute = defineRoute({
  method: "GET",
  path: "/campaigns",
  operationId: "listCampaigns",
  tag,
  summary: "List campaigns",
  query: closedObject({
    ...pageQuery,
    status: Type.Optional(
      Type.Array(Type.Enum([...campaignStatuses]), {
        minItems: 1,
        maxItems: campaignStatuses.length,
        description: "Campaigns in any of these states. Repeat the parameter for several values.",
      }),
    ),
    agentId: Type.Optional(idSchema),
  }),
  status: 200,
  response: pageOf(campaignSchema),
});

export const getCampaignRoute = defineRoute({
  method: "GET",
  path: "/campaigns/{id}",
  operationId: "getCampaign",
  tag,
  summary: "Get a campaign with its progress",
  params,
  status: 200,
  response: dataOf(campaignSchema),
});

export const updateCampaignRoute = defineRoute({
  method: "PATCH",
  path: "/campaigns/{id}",
  operationId: "updateCampaign",
  tag,
  summary: "Change a draft",
  description:
    "Changes a campaign that has not been started. `callingWindow` and `retryPolicy` are merged by field, " +
    "`defaultVariables` is replaced, and null resets a field to its default.",
  params,
  body: campaignUpdateSchema,
  status: 200,
  response: dataOf(campaignSchema),
  errors: [...referenceErrors, "campaign_not_editable"],
});

export const startCampaignRoute = defineRoute({
  method: "POST",
  path: "/campaigns/{id}/start",
  operationId: "startCampaign",
  tag,
  summary: "Start a draft",
  description:
    "The campaign becomes `running`, or `scheduled` if `startAt` is ahead. A campaign without contacts returns " +
    "`campaign_not_startable`.",
  params,
  status: 200,
  response: dataOf(campaignSchema),
  errors: startErrors,
});

export const pauseCampaignRoute = defineRoute({
  method: "POST",
  path: "/campaigns/{id}/pause",
  operationId: "pauseCampaign",
  tag,
  summary: "Pause a campaign",
  description: "No further contact is dialed, by any node. Calls in progress continue.",
  params,
  status: 200,
  response: dataOf(campaignSchema),
  errors: ["campaign_not_pausable"],
});

export const resumeCampaignRoute = defineRoute({
  method: "POST",
  path: "/campaigns/{id}/resume",
  operationId: "resumeCampaign",
  tag,
  summary: "Resume a paused campaign",
  description:
    "Dialing continues. If the reason of the pause persists, for example a disabled agent, returns that error.",
  params,
  status: 200,
  response: dataOf(campaignSchema),
  errors: startErrors,
});

export const cancelCampaignRoute = defineRoute({
  method: "POST",
  path: "/campaigns/{id}/cancel",
  operationId: "cancelCampaign",
  tag,
  summary: "Cancel a campaign for good",
  description:
    "Contacts that were never dialed become `canceled`, and those that wait for a retry `failed` with their last outcome. " +
    "Calls in progress continue to their end.",
  params,
  status: 200,
  response: dataOf(campaignSchema),
  errors: ["campaign_not_cancellable"],
});

export const deleteCampaignRoute = defineRoute({
  method: "DELETE",
  path: "/campaigns/{id}",
  operationId: "deleteCampaign",
  tag,
  summary: "Delete a draft or an ended campaign",
  description:
    "Deletes the campaign with its contacts. Its calls are kept. Other campaigns are canceled first.",
  params,
  status: 200,
  response: deletedResponse,
  errors: ["campaign_not_editable"],
});
