import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  environmentNameSchema,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  requestedEnvironmentSchema,
  timestampSchema,
} from "../schemas.ts";

const e164Schema = Type.String({ description: "Phone number in E.164.", examples: ["+14155550123"] });

const environmentSchema = nullable({
  ...environmentNameSchema,
  description: "Environment of the agent for calls to this number. Null: `production`.",
});

/** A phone number inside its agent. */
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
    agentId: nullable({
      ...idSchema,
      description: "Id of the agent that answers. Null: calls to this number are rejected with 404.",
    }),
    sipTrunkId: { ...idSchema, description: "SIP trunk of the number." },
    environment: environmentSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  {
    title: "PhoneNumber",
    description: "Phone number on one SIP trunk, bound to at most one agent.",
  },
);

export type PhoneNumber = Static<typeof phoneNumberRecordSchema>;

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const numberParams = Type.Object({
  ...agentParams.properties,
  phoneId: { ...idSchema, description: "Id of the phone number." },
});

export const addPhoneNumberRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/phone-numbers",
  operationId: "addPhoneNumber",
  tag: "Phone numbers",
  summary: "Bind a phone number to an agent",
  description:
    "The number is added on the agent's SIP trunk, so `sipTrunkId` must be set. If the organization already has the number " +
    "and no agent uses it, it is bound to this agent. A number in use is rejected with `invalid_body`.",
  params: agentParams,
  body: closedObject(
    {
      e164: phoneNumberSchema,
      environment: Type.Optional(
        requestedEnvironmentSchema(
          "Environment of the agent for calls to this number. Absent or null: `production`.",
        ),
      ),
      id: ignored,
      agentId: ignored,
      sipTrunkId: ignored,
      createdAt: ignored,
      updatedAt: ignored,
    },
    { title: "PhoneNumberCreate" },
  ),
  status: 201,
  response: dataOf(phoneNumberRecordSchema),
  errors: ["environment_not_found", "limit_reached"],
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
    "If `agentId` names another agent, the number moves to it, and `environment` is an environment of that agent (default: " +
    "`production`). If `agentId` is null, the number stays in the organization, bound to no agent.",
  params: numberParams,
  body: closedObject(
    {
      agentId: Type.Optional(
        nullable({ ...idSchema, description: "Agent that answers from now on. Null: none." }),
      ),
      environment: Type.Optional(
        requestedEnvironmentSchema(
          "Environment of the agent for calls to this number. Absent: unchanged. Null: `production`.",
        ),
      ),
      id: ignored,
      e164: ignored,
      sipTrunkId: ignored,
      createdAt: ignored,
      updatedAt: ignored,
    },
    { title: "PhoneNumberUpdate", examples: [{ environment: null }] },
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
  description: "Deletes the number. Calls to it are then rejected with 404.",
  params: numberParams,
  status: 200,
  response: deletedResponse,
});

export const getPhoneNumberRoute = defineRoute({
  method: "GET",
  path: "/phone-numbers/{id}",
  operationId: "getPhoneNumber",
  tag: "Phone numbers",
  summary: "Get a phone number",
  params: Type.Object({ id: { ...idSchema, description: "Id of the phone number." } }),
  status: 200,
  response: dataOf(phoneNumberRecordSchema),
});

export const deleteUnboundPhoneNumberRoute = defineRoute({
  method: "DELETE",
  path: "/phone-numbers/{id}",
  operationId: "deleteUnboundPhoneNumber",
  tag: "Phone numbers",
  summary: "Delete a phone number that no agent answers",
  description:
    "Rejected with `in_use` while the number is bound to an agent: unbind it first, or delete it with " +
    "`DELETE /agents/{id}/phone-numbers/{phoneId}`.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the phone number." } }),
  status: 200,
  response: deletedResponse,
  errors: ["in_use"],
});

export const listPhoneNumbersRoute = defineRoute({
  method: "GET",
  path: "/phone-numbers",
  operationId: "listPhoneNumbers",
  tag: "Phone numbers",
  summary: "List the organization's phone numbers",
  query: closedObject({
    ...pageQuery,
    sipTrunkId: Type.Optional({ ...idSchema, description: "Only numbers of this trunk." }),
  }),
  status: 200,
  response: pageOf(phoneNumberRecordSchema),
});
