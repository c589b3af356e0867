import { type Static, Type } from "typebox";
import {
  closedObject,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  phoneNumberSchema,
  requestedEnvironmentSchema,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";
import { contactInputsSchema, contactOutcomes, contactStatuses } from "./campaign-contacts.ts";
import { callingWindowSchema, callingWindowInput } from "./calling-window.ts";
import { retryPolicySchema, retryPolicyInput } from "./retry-policy.ts";

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

const voicemailStrategies = ["agent", "last_attempt"] as const;
export type VoicemailStrategy = (typeof voicemailStrategies)[number];

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
  "What a voicemail gets. `agent` (default): what the agent's own settings say. `last_attempt`: voicemail is detected whatever the " +
  "agent's settings say; before the last attempt the call ends in silence and the contact is dialed again, whatever `retryOn` says, " +
  "and at the last attempt the agent's `voicemailAction` applies.";
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

export const campaignSchema = Type.Object(
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
    callingWindow: Type.Union([callingWindowSchema, Type.Null()]),
    retryPolicy: retryPolicySchema,
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

export const campaignCreatedSchema = Type.Object(
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
  callingWindow: Type.Optional(nullable(callingWindowInput)),
  retryPolicy: Type.Optional(nullable(retryPolicyInput)),
  maxConcurrency: Type.Optional(nullable(maxConcurrencySchema)),
  callsPerSecond: Type.Optional(nullable(callsPerSecondSchema)),
  voicemailStrategy: Type.Optional(nullableEnum(voicemailStrategies, { description: voicemailMeaning })),
  defaultVariables: Type.Optional(nullable(defaultVariablesSchema)),
};

/** Read-only fields, so that what GET gave can be sent. */
const ignoredFields = {
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
};

export const campaignCreationSchema = closedObject(
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
    ...ignoredFields,
  },
  { title: "CampaignCreate" },
);
export type CampaignCreation = Static<typeof campaignCreationSchema>;

export const campaignUpdateSchema = closedObject(
  {
    name: Type.Optional(nameSchema),
    agentId: Type.Optional(agentIdSchema),
    fromNumber: Type.Optional(fromNumberSchema),
    ...settings,
    ...ignoredFields,
  },
  { title: "CampaignUpdate" },
);
export type CampaignChange = Static<typeof campaignUpdateSchema>;
