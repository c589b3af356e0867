import { type Static, Type } from "typebox";
import { callSchema } from "../calls/call.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  streamedResponse,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

/** Contacts in one request. */
export const MAX_CONTACTS = 10_000;
/** Bad rows that an error names. */
export const MAX_NAMED_ROWS = 100;
export const CONTACTS_BODY_LIMIT_BYTES = 16 * 1024 * 1024;
/** 10,000 contacts with 20 variables each. */
export const MAX_CONTACTS_JSON_VALUES = 250_000;

export const contactStatuses = ["pending", "calling", "completed", "failed", "canceled"] as const;
export type ContactStatus = (typeof contactStatuses)[number];

export const contactOutcomes = [
  "answered",
  "voicemail",
  "no_answer",
  "busy",
  "failed",
  "canceled",
  "do_not_call",
] as const;
export type ContactOutcome = (typeof contactOutcomes)[number];

const timezoneSchema = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    "IANA time zone of the contact, which wins over that of the calling window. Absent or null: the window's.",
  examples: ["America/New_York"],
});

const contactInputSchema = closedObject(
  {
    // Checked row by row: the error names each bad one by its index.
    toNumber: Type.String({
      maxLength: 64,
      description:
        "Phone number with its country code (`+…`). Stored in E.164. It must be possible, not assigned.",
      examples: ["+14155550199"],
    }),
    variables: Type.Optional(
      nullable({ ...variablesSchema, description: "Variables of this contact, which override all others." }),
    ),
    timezone: Type.Optional(nullable(timezoneSchema)),
    id: ignored,
    status: ignored,
    outcome: ignored,
    attempts: ignored,
    nextAttemptAt: ignored,
    lastAttemptAt: ignored,
    createdAt: ignored,
    updatedAt: ignored,
    calls: ignored,
  },
  { title: "CampaignContactInput" },
);
export type ContactInput = Static<typeof contactInputSchema>;

export const contactInputsSchema = Type.Array(contactInputSchema, {
  maxItems: MAX_CONTACTS,
  description: `At most ${MAX_CONTACTS} contacts.`,
  examples: [[{ toNumber: "+14155550199", variables: { name: "Ada" }, timezone: "America/New_York" }]],
});

const contactSchema = Type.Object(
  {
    id: idSchema,
    toNumber: Type.String({ description: "Phone number in E.164.", examples: ["+14155550199"] }),
    variables: { ...variablesSchema, description: "Variables of this contact." },
    timezone: nullable(timezoneSchema),
    status: Type.Enum([...contactStatuses], {
      description:
        "`pending`: waits for its first or next attempt. `calling`: a call is placed. `completed`: answered. `failed`: no " +
        "further attempt. `canceled`: never dialed before the campaign was canceled.",
    }),
    outcome: nullableEnum(contactOutcomes, {
      description:
        "Outcome of the last attempt; final unless the status is `pending` or `calling`. `do_not_call`: on the list, never " +
        "dialed. Null: no attempt yet.",
    }),
    attempts: Type.Integer({
      minimum: 0,
      description: "Dials so far. One that capacity or a crash prevented does not count.",
    }),
    nextAttemptAt: nullable({
      ...timestampSchema,
      description:
        "Earliest time of the next attempt, by window and retry delay; pace and other contacts may delay it. Null: none is due.",
    }),
    lastAttemptAt: nullable({ ...timestampSchema, description: "Time of the last dial. Null: none yet." }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "CampaignContact" },
);
export type CampaignContact = Static<typeof contactSchema>;

const contactDetailSchema = Type.Object(
  {
    ...contactSchema.properties,
    calls: Type.Array(callSchema, { description: "Calls to this contact, the latest first." }),
  },
  { title: "CampaignContactDetail" },
);
export type CampaignContactDetail = Static<typeof contactDetailSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the campaign." } });
const tag = "Campaigns";

export const addCampaignContactsRoute = defineRoute({
  method: "POST",
  path: "/campaigns/{id}/contacts",
  operationId: "addCampaignContacts",
  tag,
  summary: "Add contacts to a campaign",
  description:
    "Stores all contacts or none. Numbers are normalized to E.164; a number that the campaign has already is skipped. An " +
    "error names the first 100 bad contacts by index. A campaign that has ended returns `campaign_not_editable`.",
  params,
  body: closedObject({ contacts: contactInputsSchema }, { title: "CampaignContactsAdd" }),
  status: 200,
  response: dataOf(
    Type.Object(
      {
        contactsAdded: Type.Integer({ minimum: 0, description: "Contacts that were stored." }),
        duplicatesSkipped: Type.Integer({ minimum: 0, description: "Contacts whose number came before." }),
      },
      { title: "CampaignContactsAdded" },
    ),
  ),
  errors: ["campaign_not_editable", "destination_not_allowed", "limit_reached"],
  bodyLimitBytes: CONTACTS_BODY_LIMIT_BYTES,
  maxJsonValues: MAX_CONTACTS_JSON_VALUES,
});

export const listCampaignContactsRoute = defineRoute({
  method: "GET",
  path: "/campaigns/{id}/contacts",
  operationId: "listCampaignContacts",
  tag,
  summary: "List the contacts of a campaign",
  params,
  query: closedObject({
    ...pageQuery,
    status: Type.Optional(
      Type.Array(Type.Enum([...contactStatuses]), {
        minItems: 1,
        maxItems: contactStatuses.length,
        description: "Contacts in any of these states. Repeat the parameter for several values.",
      }),
    ),
    outcome: Type.Optional(
      Type.Array(Type.Enum([...contactOutcomes]), {
        minItems: 1,
        maxItems: contactOutcomes.length,
        description: "Contacts whose last attempt had any of these outcomes.",
      }),
    ),
    toNumber: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Exact match, normalized as in a contact.",
        examples: ["+14155550199"],
      }),
    ),
  }),
  status: 200,
  response: pageOf(contactSchema),
});

export const getCampaignContactRoute = defineRoute({
  method: "GET",
  path: "/campaigns/{id}/contacts/{contactId}",
  operationId: "getCampaignContact",
  tag,
  summary: "Get a contact with its calls",
  params: Type.Object({
    ...params.properties,
    contactId: { ...idSchema, description: "Id of the contact." },
  }),
  status: 200,
  response: dataOf(contactDetailSchema),
});

export const exportCampaignContactsRoute = defineRoute({
  method: "GET",
  path: "/campaigns/{id}/contacts.csv",
  operationId: "exportCampaignContacts",
  tag,
  summary: "Export the contacts of a campaign as CSV",
  description:
    "One row per contact in the order of their creation, with a column `variables.NAME` for each variable. A cell that a " +
    "spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a carriage return, and is not a plain " +
    "number) begins with an apostrophe.",
  params,
  status: 200,
  contentType: "text/csv; charset=utf-8",
  response: streamedResponse,
});
