import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedSchema,
  environmentNameSchema,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  timestampSchema,
} from "../schemas.ts";

const e164Schema = Type.String({ description: "E.164.", examples: ["+14155550123"] });

const environmentSchema = nullable({
  ...environmentNameSchema,
  description: "The agent's environment that calls to the number run in; null: production.",
});

/** A number as it stands inside its agent. */
export const agentPhoneNumberSchema = Type.Object({
  id: idSchema,
  e164: e164Schema,
  environment: environmentSchema,
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const phoneNumberRecordSchema = Type.Object(
  {
    id: idSchema,
    e164: e164Schema,
    agentId: nullable({ ...idSchema, description: "Null: calls to this number are not answered." }),
    sipTrunkId: { ...idSchema, description: "The trunk that carries the number." },
    environment: environmentSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  {
    title: "PhoneNumber",
    description: "A telephone number of one SIP trunk, answered by at most one agent.",
  },
);

export type PhoneNumber = Static<typeof phoneNumberRecordSchema>;

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const numberParams = Type.Object({
  ...agentParams.properties,
  phoneId: { ...idSchema, description: "Id of the number." },
});

export const addPhoneNumberRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/phone-numbers",
  operationId: "addPhoneNumber",
  tag: "Phone numbers",
  summary: "Bind a phone number to an agent",
  description:
    "The number is carried by the agent's SIP trunk, which must be set. A number of the organization that is bound to " +
    "no agent is taken over; one that is in use is refused.",
  params: agentParams,
  body: closedObject(
    { e164: phoneNumberSchema, environment: Type.Optional(environmentSchema) },
    { title: "PhoneNumberCreate" },
  ),
  status: 201,
  response: dataOf(phoneNumberRecordSchema),
  errors: ["environment_not_found"],
});

export const listAgentPhoneNumbersRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/phone-numbers",
  operationId: "listAgentPhoneNumbers",
  tag: "Phone numbers",
  summary: "List an agent's phone numbers",
  params: agentParams,
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(phoneNumberRecordSchema),
});

export const updatePhoneNumberRoute = defineRoute({
  method: "PATCH",
  path: "/agents/{id}/phone-numbers/{phoneId}",
  operationId: "updatePhoneNumber",
  tag: "Phone numbers",
  summary: "Bind a phone number to another environment or agent",
  description:
    "With another `agentId` the number goes to that agent and `environment` names one of its; absent, production. Null " +
    "leaves the number in the organization, bound to no agent.",
  params: numberParams,
  body: closedObject(
    {
      agentId: Type.Optional(nullable({ ...idSchema, description: "The agent that answers from now on." })),
      environment: Type.Optional(environmentSchema),
      id: ignored,
      e164: ignored,
      sipTrunkId: ignored,
      createdAt: ignored,
      updatedAt: ignored,
    },
    { title: "PhoneNumberUpdate" },
  ),
  status: 200,
  response: dataOf(phoneNumberRecordSchema),
  errors: ["environment_not_found"],
});

export const deletePhoneNumberRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}/phone-numbers/{phoneId}",
  operationId: "deletePhoneNumber",
  tag: "Phone numbers",
  summary: "Delete a phone number",
  description: "Calls to the number are no longer answered.",
  params: numberParams,
  status: 200,
  response: deletedSchema,
});

export const listPhoneNumbersRoute = defineRoute({
  method: "GET",
  path: "/phone-numbers",
  operationId: "listPhoneNumbers",
  tag: "Phone numbers",
  summary: "List the organization's phone numbers",
  query: closedObject({
    ...pageQuery,
    sipTrunkId: Type.Optional({ ...idSchema, description: "Only this trunk's." }),
  }),
  status: 200,
  response: pageOf(phoneNumberRecordSchema),
});
