import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  requestedEnvironmentSchema,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";
import {
  CONTACTS_BODY_LIMIT_BYTES,
  contactInputsSchema,
  contactOutcomes,
  contactStatuses,
  MAX_CONTACTS_JSON_VALUES,
} from "./campaign-contacts.ts";

export const campaignStatuses = ["draft", "scheduled", "running", "paused", "completed", "canceled"] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** Why a campaign is paused. */
export const pauseReasons = [
  "requested",
  "dials_failing",
  "environment_not_found",
  "agent_not_found",
  "agent_not_callable",
  "from_number_not_on_trunk",
  "billing_inactive",
] as const;
export type PauseReason = (typeof pauseReasons)[number];

const retriedOutcomes = ["no_answer", "busy", "failed", "voicemail"] as const;
export type RetriedOutcome = (typeof retriedOutcomes)[number];

const voicemailStrategies = ["agent", "last_attempt"] as const;

const timeOfDay = (pattern: string, description: string, example: string) =>
  Type.String({ pattern, description, examples: [example] });

const windowFields = {
  start: timeOfDay("^([01][0-9]|2[0-3]):[0-5][0-9]$", "First minute of the window, as HH:MM.", "09:00"),
  end: timeOfDay(
    "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
    "End of the window, as HH:MM up to `24:00`; this minute no longer belongs to it. An end before `start` is on the next " +
      "day. Equal to `start`: refused.",
    "18:00",
  ),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      "IANA time zone of contacts without a `timezone` of their own. Default: the agent's `timezone`.",
    examples: ["Europe/Berlin"],
  }),
  days: Type.Array(Type.Integer({ minimum: 0, maximum: 7 }), {
    minItems: 1,
    maxItems: 8,
    description:
      "Weekdays: 1 to 6 are Monday to Saturday, 0 and 7 are Sunday. A window across midnight belongs to the day on which it " +
      "starts. Default: every day.",
    examples: [[1, 2, 3, 4, 5]],
  }),
};

const windowMeaning =
  "Local time in which contacts are dialed: the wall clock in the contact's own time zone, else in the window's, with " +
  "daylight saving time as in the IANA database. Null: at any time.";

const windowSchema = Type.Object(windowFields, { title: "CallingWindow", description: windowMeaning });
export type CallingWindow = Static<typeof windowSchema>;

const windowInput = closedObject(
  {
    start: Type.Optional(windowFields.start),
    end: Type.Optional(windowFields.end),
    timezone: Type.Optional(windowFields.timezone),
    days: Type.Optional(windowFields.days),
  },
  {
    description: `${windowMeaning} A new window requires \`start\` and \`end\`; a change is merged by field.`,
    examples: [{ start: "09:00", end: "18:00", timezone: "Europe/Berlin", days: [1, 2, 3, 4, 5] }],
  },
);

const policyFields = {
  maxAttempts: Type.Integer({
    minimum: 1,
    maximum: 10,
    description: "Dials per contact, the first one included. Default: `1`.",
    examples: [3],
  }),
  retryDelayMinutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    description: "Minutes from the end of an attempt to the next one, or more. Default: `60`.",
    examples: [60],
  }),
  retryOn: Type.Array(Type.Enum([...retriedOutcomes]), {
    maxItems: retriedOutcomes.length,
    description:
      'Outcomes after which a contact is dialed again. Default: `["no_answer","busy","failed"]`. `voicemail` is not ' +
      "available yet. The SIP responses 404, 410, 484, 603, 604, 607 and 608 are never retried.",
    examples: [["no_answer", "busy"]],
  }),
};

const policySchema = Type.Object(policyFields, { title: "RetryPolicy" });
export type RetryPolicy = Static<typeof policySchema>;

const policyInput = closedObject(
  {
    maxAttempts: Type.Optional(policyFields.maxAttempts),
    retryDelayMinutes: Type.Optional(policyFields.retryDelayMinutes),
    retryOn: Type.Optional(policyFields.retryOn),
  },
  {
    description: "When contacts are dialed again. Merged by field.",
    examples: [{ maxAttempts: 3, retryDelayMinutes: 60 }],
  },
);

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 1,
  retryDelayMinutes: 60,
  retryOn: ["no_answer", "busy", "failed"],
};

const nameSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "\\S",
  description: "Display name.",
  examples: ["Spring reminder"],
});
const agentIdSchema = { ...idSchema, description: "Id of the agent that places the calls." };
const fromNumberSchema = {
  ...phoneNumberSchema,
  description: "Caller ID: a phone number on the agent's SIP trunk.",
};
const startAtSchema = Type.String({
  format: "date-time",
  description: "No contact is dialed before this time, which needs an offset. A time in the past means now.",
  examples: ["2026-12-01T08:00:00+01:00"],
});
const maxConcurrencySchema = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: "Calls of the campaign at once, over all nodes. Default: `5`.",
  examples: [5],
});
const callsPerSecondSchema = Type.Number({
  minimum: 0.1,
  maximum: 10,
  description: "Dials per second at most, over all nodes. Default: `1`.",
  examples: [1],
});
const voicemailMeaning =
  "What a voicemail gets. `agent` (default): what the agent's own settings say. `last_attempt` is not available yet.";
const voicemailStrategySchema = Type.Enum([...voicemailStrategies], { description: voicemailMeaning });
const defaultVariablesSchema = {
  ...variablesSchema,
  description:
    "Variables of all contacts. They override those of the agent and the environment; a contact's own override them.",
};

const counts = (names: readonly string[], description: string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer({ minimum: 0 })])), { description });

const progressSchema = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: "Contacts of the campaign." }),
    done: Type.Integer({ minimum: 0, description: "Contacts that are neither `pending` nor `calling`." }),
    contacts: counts(contactStatuses, "Contacts by status."),
    outcomes: counts(contactOutcomes, "Contacts that are done, by outcome."),
  },
  { title: "CampaignProgress" },
);

const campaignSchema = Type.Object(
  {
    id: idSchema,
    name: nameSchema,
    status: Type.Enum([...campaignStatuses], {
      description:
        "`scheduled`: started, and `startAt` is ahead. `running`: contacts are dialed as window and pace allow. " +
        "`completed` and `canceled` are final.",
    }),
    statusReason: nullableEnum(pauseReasons, {
      description:
        "Why the campaign is `paused`; null in other states. `requested`: by the pause operation. `dials_failing`: most of the " +
        "last dials failed, for example because the trunk is down. Others: the error that a call of this agent would get.",
    }),
    statusDetail: nullable(Type.String({ description: "Explanation of `statusReason`. Null: none." })),
    agentId: agentIdSchema,
    agentName: Type.String({ description: "Name of the agent; its last one if it was deleted." }),
    fromNumber: fromNumberSchema,
    environment: nullable(Type.String({ description: "Environment of the agent. Null: `production`." })),
    startAt: nullable({
      ...timestampSchema,
      description: "No contact is dialed before this time. Null: no such time.",
    }),
    callingWindow: Type.Union([windowSchema, Type.Null()]),
    retryPolicy: policySchema,
    maxConcurrency: maxConcurrencySchema,
    callsPerSecond: callsPerSecondSchema,
    voicemailStrategy: voicemailStrategySchema,
    defaultVariables: defaultVariablesSchema,
    progress: progressSchema,
    nextDialAt: nullable({
      ...timestampSchema,
      description:
        "Earliest time of the next dial, by window, pace and retry delays. Null: the campaign does not dial, or no contact " +
        "is pending.",
    }),
    startedAt: nullable({
      ...timestampSchema,
      description: "Time at which the campaign began to run. Null: not yet.",
    }),
    completedAt: nullable({
      ...timestampSchema,
      description: "Time at which it was completed or canceled. Null: not yet.",
    }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "Campaign" },
);
export type Campaign = Static<typeof campaignSchema>;

const createdSchema = Type.Object(
  {
    ...campaignSchema.properties,
    contactsAdded: Type.Integer({ minimum: 0, description: "Contacts that were stored." }),
    duplicatesSkipped: Type.Integer({ minimum: 0, description: "Contacts whose number came before." }),
  },
  { title: "CampaignCreated" },
);

const settings = {
  environment: Type.Optional(
    requestedEnvironmentSchema("Environment of the agent. Absent or null: `production`."),
  ),
  startAt: Type.Optional(nullable(startAtSchema)),
  callingWindow: Type.Optional(nullable(windowInput)),
  retryPolicy: Type.Optional(nullable(policyInput)),
  maxConcurrency: Type.Optional(nullable(maxConcurrencySchema)),
  callsPerSecond: Type.Optional(nullable(callsPerSecondSchema)),
  voicemailStrategy: Type.Optional(nullableEnum(voicemailStrategies, { description: voicemailMeaning })),
  defaultVariables: Type.Optional(nullable(defaultVariablesSchema)),
};

const creationSchema = closedObject(
  {
    name: nameSchema,
    agentId: agentIdSchema,
    fromNumber: fromNumberSchema,
    ...settings,
    contacts: Type.Optional(contactInputsSchema),
    start: Type.Optional(
      Type.Boolean({
        description: "`true` starts the campaign at once, which requires contacts. Default: `false`.",
      }),
    ),
  },
  { title: "CampaignCreate" },
);
export type CampaignCreation = Static<typeof creationSchema>;

const updateSchema = closedObject(
  {
    name: Type.Optional(nameSchema),
    agentId: Type.Optional(agentIdSchema),
    fromNumber: Type.Optional(fromNumberSchema),
    ...settings,
    id: ignored,
    status: ignored,
    statusReason: ignored,
    statusDetail: ignored,
    agentName: ignored,
    progress: ignored,
    nextDialAt: ignored,
    startedAt: ignored,
    completedAt: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "CampaignUpdate" },
);
export type CampaignChange = Static<typeof updateSchema>;

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
  body: creationSchema,
  status: 201,
  response: dataOf(createdSchema),
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
  body: updateSchema,
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
