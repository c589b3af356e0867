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
  timestampSchema,
} from "../schemas.ts";

const PACE =
  "Messages that are handed to the provider per second from one number. Further messages wait. The provider has limits of its " +
  "own per number, and queues what exceeds them.";

const fields = {
  friendlyName: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "\\S",
    description: "Display name.",
    examples: ["Shop messages"],
  }),
  accountSid: Type.String({
    pattern: "^AC[0-9a-fA-F]{32}$",
    description: "Account SID of the provider: `AC` and 32 hexadecimal digits.",
    examples: ["AC00000000000000000000000000000001"],
  }),
  messagingServiceSid: nullable(
    Type.String({
      pattern: "^MG[0-9a-fA-F]{32}$",
      description:
        "Messaging service of the account that messages are sent through: `MG` and 32 hexadecimal digits. Null: messages are " +
        "sent from the agent's number directly.",
    }),
  ),
  messagesPerSecond: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: PACE,
    examples: [10],
  }),
};

export const DEFAULT_MESSAGES_PER_SECOND = 10;

const AUTH_TOKEN = "Auth token of the account. Verified with the provider, stored encrypted, never returned.";

const authTokenSchema = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: "^[!-~]+$",
  writeOnly: true,
  description: AUTH_TOKEN,
  examples: ["3f5e9c1d7b2a4860"],
});

const configSchema = Type.Object(
  {
    inboundMessageUrl: nullable(
      Type.String({
        format: "uri",
        description:
          "URL to enter at the provider for incoming messages, with the method `POST`: at Twilio “A message comes in” of the " +
          "number or the messaging service. Null: the operator has not configured the server's public URL.",
      }),
    ),
  },
  { title: "MessagingConnectionConfig", description: "Settings to enter at the provider." },
);

const messagingConnectionSchema = Type.Object(
  {
    id: idSchema,
    friendlyName: fields.friendlyName,
    channel: Type.Literal("sms"),
    provider: Type.Literal("twilio"),
    accountSid: fields.accountSid,
    messagingServiceSid: fields.messagingServiceSid,
    messagesPerSecond: fields.messagesPerSecond,
    config: configSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "MessagingConnection", description: "Account at a messaging provider." },
);

export type MessagingConnection = Static<typeof messagingConnectionSchema>;

/** Read-only fields, so that what GET gave can be sent. */
const ignoredFields = {
  id: ignored,
  channel: ignored,
  provider: ignored,
  config: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

const createSchema = closedObject(
  {
    accountSid: fields.accountSid,
    authToken: authTokenSchema,
    friendlyName: Type.Optional({
      ...nullable(fields.friendlyName),
      description: "Display name. Absent or null: the account's name at the provider.",
    }),
    messagingServiceSid: Type.Optional(fields.messagingServiceSid),
    messagesPerSecond: Type.Optional({
      ...nullable(fields.messagesPerSecond),
      description: `${PACE} Default: ${DEFAULT_MESSAGES_PER_SECOND}.`,
    }),
    ...ignoredFields,
  },
  { title: "MessagingConnectionCreate" },
);

const updateSchema = closedObject(
  {
    friendlyName: Type.Optional(fields.friendlyName),
    accountSid: Type.Optional(fields.accountSid),
    authToken: Type.Optional({
      ...authTokenSchema,
      description: `${AUTH_TOKEN} Required if \`accountSid\` changes.`,
    }),
    messagingServiceSid: Type.Optional(fields.messagingServiceSid),
    messagesPerSecond: Type.Optional({
      ...nullable(fields.messagesPerSecond),
      description: `${PACE} Null: ${DEFAULT_MESSAGES_PER_SECOND}.`,
    }),
    ...ignoredFields,
  },
  { title: "MessagingConnectionUpdate" },
);

export type MessagingConnectionCreate = Static<typeof createSchema>;
export type MessagingConnectionUpdate = Static<typeof updateSchema>;

const checkSchema = Type.Object(
  {
    isOk: Type.Boolean({ description: "Whether the provider accepts the stored credentials." }),
    problem: nullableEnum(["credentials_refused", "messaging_service_not_found", "provider_unreachable"], {
      description: "Machine-readable cause. Null: no problem.",
    }),
    message: Type.String({ description: "Human-readable result. Not stable." }),
    checkedAt: timestampSchema,
  },
  { title: "MessagingConnectionCheck", description: "Result of a check of a messaging connection." },
);

export type MessagingConnectionCheck = Static<typeof checkSchema>;

const tag = "Messaging connections";
const params = Type.Object({ id: { ...idSchema, description: "Id of the messaging connection." } });

const verification =
  "The credentials are verified with the provider before they are stored: credentials that it refuses are rejected at " +
  "`authToken`, an unknown messaging service at `messagingServiceSid`, and `provider_unreachable` is returned if the " +
  "provider does not answer.";

export const createMessagingConnectionRoute = defineRoute({
  method: "POST",
  path: "/messaging-connections",
  operationId: "createMessagingConnection",
  tag,
  summary: "Create a messaging connection",
  description: verification,
  body: createSchema,
  status: 201,
  response: dataOf(messagingConnectionSchema),
  errors: ["provider_unreachable", "limit_reached"],
});

export const listMessagingConnectionsRoute = defineRoute({
  method: "GET",
  path: "/messaging-connections",
  operationId: "listMessagingConnections",
  tag,
  summary: "List messaging connections",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(messagingConnectionSchema),
});

export const getMessagingConnectionRoute = defineRoute({
  method: "GET",
  path: "/messaging-connections/{id}",
  operationId: "getMessagingConnection",
  tag,
  summary: "Get a messaging connection",
  params,
  status: 200,
  response: dataOf(messagingConnectionSchema),
});

export const updateMessagingConnectionRoute = defineRoute({
  method: "PATCH",
  path: "/messaging-connections/{id}",
  operationId: "updateMessagingConnection",
  tag,
  summary: "Change a messaging connection",
  description: `If \`accountSid\`, \`authToken\` or \`messagingServiceSid\` changes: ${verification.charAt(0).toLowerCase()}${verification.slice(1)}`,
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(messagingConnectionSchema),
  errors: ["provider_unreachable"],
});

export const deleteMessagingConnectionRoute = defineRoute({
  method: "DELETE",
  path: "/messaging-connections/{id}",
  operationId: "deleteMessagingConnection",
  tag,
  summary: "Delete a messaging connection",
  description:
    "Rejected with `in_use` while agents use the connection. Its messages stay in the log; those that are queued fail.",
  errors: ["in_use"],
  params,
  status: 200,
  response: deletedResponse,
});

export const checkMessagingConnectionRoute = defineRoute({
  method: "POST",
  path: "/messaging-connections/{id}/check",
  operationId: "checkMessagingConnection",
  tag,
  summary: "Check a messaging connection",
  description:
    "Verifies the stored credentials with the provider. A problem is not an error: it is in the result. Takes at most 10 seconds.",
  params,
  status: 200,
  response: dataOf(checkSchema),
  rateLimit: { requests: 30, windowSeconds: 60 },
});
