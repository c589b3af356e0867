import { type Static, type TSchema, Type } from "typebox";
import { type AgentConfiguration, agentDefaults, configurationFields } from "./agent-configuration.ts";
import { agentPhoneNumberSchema } from "./phone-numbers.ts";
import { isKeyOf } from "./keys.ts";
import { defineRoute } from "./route.ts";
import {
  closedObject,
  dataOf,
  deletedSchema,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "./schemas.ts";

const nameSchema = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["Front desk"] });
const statusSchema = Type.Enum(["active", "disabled"], {
  description: "A disabled agent takes no calls (SIP 480).",
});
export type AgentStatus = Static<typeof statusSchema>;
const sipTrunkIdSchema = nullable({
  ...idSchema,
  description: "The trunk that carries the agent's phone calls.",
});

/** A change of an agent: what is absent stays (on creation: gets its default), null becomes the default. */
export type AgentChange = { [K in keyof AgentConfiguration]?: AgentConfiguration[K] | null } & {
  status?: AgentStatus | null;
  sipTrunkId?: string | null;
};

function acceptingNull(schema: TSchema & { type?: unknown; enum?: unknown }): TSchema {
  if (Array.isArray(schema.enum)) {
    return { ...schema, type: ["string", "null"], enum: [...schema.enum, null] };
  }
  return typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : schema;
}

/** The fields of a change, all optional; on creation with the default that absence and null stand for. */
function changeFields(isCreation: boolean): Record<string, TSchema> {
  const entries = Object.entries<TSchema>(configurationFields).map(([name, field]) => {
    const initial = isCreation && isKeyOf(agentDefaults, name) ? { default: agentDefaults[name] } : {};
    return [name, Type.Optional({ ...acceptingNull(field), ...initial })] as const;
  });
  return {
    ...Object.fromEntries(entries),
    status: Type.Optional({ ...acceptingNull(statusSchema), ...(isCreation ? { default: "active" } : {}) }),
    sipTrunkId: Type.Optional(sipTrunkIdSchema),
  };
}

const createSchema = Type.Unsafe<AgentChange & { name: string }>(
  closedObject({ name: nameSchema, ...changeFields(true) }, { title: "AgentCreate" }),
);

const updateSchema = Type.Unsafe<AgentChange & { name?: string }>(
  closedObject(
    {
      name: Type.Optional(nameSchema),
      ...changeFields(false),
      id: ignored,
      sipTrunk: ignored,
      phoneNumbers: ignored,
      createdAt: ignored,
      updatedAt: ignored,
    },
    {
      title: "AgentUpdate",
      description: "What is absent stays as it is; null resets a field to its default.",
    },
  ),
);

export const agentSchema = Type.Object(
  {
    id: idSchema,
    name: nameSchema,
    status: statusSchema,
    sipTrunkId: sipTrunkIdSchema,
    sipTrunk: Type.Union([Type.Object({ friendlyName: Type.String() }), Type.Null()]),
    phoneNumbers: Type.Array(agentPhoneNumberSchema),
    ...configurationFields,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "Agent", description: "Who answers and places calls, and how." },
);

export type Agent = Static<typeof agentSchema>;

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });

export const createAgentRoute = defineRoute({
  method: "POST",
  path: "/agents",
  operationId: "createAgent",
  tag: "Agents",
  summary: "Create an agent",
  description: "Only `name` is required. Fields that are left out or null get their defaults.",
  body: createSchema,
  status: 201,
  response: dataOf(agentSchema),
});

export const listAgentsRoute = defineRoute({
  method: "GET",
  path: "/agents",
  operationId: "listAgents",
  tag: "Agents",
  summary: "List agents",
  query: closedObject({
    ...pageQuery,
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: "Part of the name, in any case of letters." }),
    ),
    status: Type.Optional(statusSchema),
  }),
  status: 200,
  response: pageOf(agentSchema),
});

export const getAgentRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}",
  operationId: "getAgent",
  tag: "Agents",
  summary: "Get an agent",
  params: agentParams,
  status: 200,
  response: dataOf(agentSchema),
});

export const updateAgentRoute = defineRoute({
  method: "PATCH",
  path: "/agents/{id}",
  operationId: "updateAgent",
  tag: "Agents",
  summary: "Change an agent",
  description:
    "Changes the fields that are sent. Variable maps and arrays are replaced as a whole; null resets a field to its " +
    "default. Calls in progress are not affected.",
  params: agentParams,
  body: updateSchema,
  status: 200,
  response: dataOf(agentSchema),
});

export const deleteAgentRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}",
  operationId: "deleteAgent",
  tag: "Agents",
  summary: "Delete an agent",
  description:
    "Its phone numbers stay in the organization, bound to no agent. Calls and conversations are kept.",
  params: agentParams,
  status: 200,
  response: deletedSchema,
});
