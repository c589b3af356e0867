import { type Static, Type } from "typebox";
import {
  type AgentChange,
  type AgentConfiguration,
  type AgentCreation,
  agentFields,
  agentStatusSchema,
} from "./agent-configuration.ts";
import { type CustomTool, customToolSchema } from "./custom-tools.ts";
import { changeSchemas, creationSchemas, valueSchemas } from "../field-table.ts";
import { agentFolderSchema } from "../organizations/folders.ts";
import { agentPhoneNumberSchema } from "../phone-numbers/phone-numbers.ts";
import { defineRoute } from "../route.ts";
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
} from "../schemas.ts";

export const publishModeSchema = Type.Enum(["auto", "manual"], {
  description:
    "`auto`: every save is live; `manual`: a save changes the draft, and publishing makes it live.",
});
export type PublishMode = Static<typeof publishModeSchema>;

/** Not part of the versioned configuration, but sent along with it. */
interface PublishModeChange {
  publishMode?: PublishMode | null;
}

const creationSchema = Type.Unsafe<AgentCreation & PublishModeChange>(
  closedObject(
    {
      ...creationSchemas(agentFields),
      publishMode: Type.Optional({
        ...nullableMode("`manual`: nothing is published yet, and the draft runs."),
        default: "auto",
      }),
    },
    { title: "AgentCreate" },
  ),
);

const updateSchema = Type.Unsafe<AgentChange & PublishModeChange>(
  closedObject(
    {
      ...changeSchemas(agentFields),
      publishMode: Type.Optional(
        nullableMode(
          "Change to `manual`: the configuration is published at once. To `auto`: nothing is published any more.",
        ),
      ),
      id: ignored,
      sipTrunk: ignored,
      folder: ignored,
      phoneNumbers: ignored,
      customTools: ignored,
      widgetKey: ignored,
      publishedRevision: ignored,
      hasUnpublishedChanges: ignored,
      createdAt: ignored,
      updatedAt: ignored,
    },
    {
      title: "AgentUpdate",
      description:
        "What is absent stays as it is; null resets a field to its default. Typed objects merge by field; variable " +
        "maps, `flowDefinition`, `runtimeConfig` and arrays are replaced.",
    },
  ),
);

function nullableMode(description: string) {
  return { ...publishModeSchema, description, type: ["string", "null"], enum: ["auto", "manual", null] };
}

const identity = {
  id: idSchema,
  sipTrunk: nullable(Type.Object({ friendlyName: Type.String() })),
  folder: nullable(agentFolderSchema),
  phoneNumbers: Type.Array(agentPhoneNumberSchema),
  widgetKey: Type.String({ description: "Names the agent to its web widget; no secret." }),
  publishMode: publishModeSchema,
  publishedRevision: nullable(
    Type.Integer({ description: "Null in `auto` mode, and where nothing is published: the draft runs." }),
  ),
  hasUnpublishedChanges: Type.Boolean({
    description:
      "Whether the draft differs from what is published. What is always live does not count: phone numbers, SIP trunk, " +
      "status.",
  }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};
const identitySchema = Type.Object(identity);

/** An agent as the API shows it. */
export interface Agent extends AgentConfiguration, Static<typeof identitySchema> {
  customTools: CustomTool[];
}

const { createdAt, updatedAt, ...shown } = identity;
export const agentSchema = Type.Unsafe<Agent>(
  Type.Object(
    {
      ...shown,
      ...valueSchemas(agentFields),
      customTools: Type.Array(customToolSchema),
      createdAt,
      updatedAt,
    },
    { title: "Agent", description: "Who answers and places calls, and how." },
  ),
);

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });

export const createAgentRoute = defineRoute({
  method: "POST",
  path: "/agents",
  operationId: "createAgent",
  tag: "Agents",
  summary: "Create an agent",
  description: "Only `name` is required. Fields that are left out or null get their defaults.",
  body: creationSchema,
  status: 201,
  response: dataOf(agentSchema),
  errors: ["environment_not_found"],
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
    status: Type.Optional(agentStatusSchema),
    folderId: Type.Optional({ ...idSchema, description: "Only those in this folder." }),
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
  isBillingRequired: false,
});

export const updateAgentRoute = defineRoute({
  method: "PATCH",
  path: "/agents/{id}",
  operationId: "updateAgent",
  tag: "Agents",
  summary: "Change an agent",
  description:
    "Changes the fields that are sent, as a new version; a change that leaves everything as it is makes none. Calls in " +
    "progress are not affected. `environment_not_found`: `widgetConfig.environment` names none.",
  params: agentParams,
  body: updateSchema,
  status: 200,
  response: dataOf(agentSchema),
  errors: ["environment_not_found"],
  isBillingRequired: false,
});

export const deleteAgentRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}",
  operationId: "deleteAgent",
  tag: "Agents",
  summary: "Delete an agent",
  description:
    "Its phone numbers stay in the organization, bound to no agent. Versions, calls and conversations are kept.",
  params: agentParams,
  status: 200,
  response: deletedSchema,
});
