import { type Static, Type } from "typebox";
import {
  type AgentChange,
  type AgentConfiguration,
  type AgentCreation,
  agentFields,
  agentStatusSchema,
} from "./agent-configuration.ts";
import {
  type CustomTool,
  type CustomToolCreation,
  customToolCreationSchema,
  customToolSchema,
} from "./custom-tools.ts";
import { changeSchemas, creationSchemas, valueSchemas, withDefaultNoted } from "../field-table.ts";
import { agentFolderSchema } from "../organizations/folders.ts";
import { agentPhoneNumberSchema } from "../phone-numbers/phone-numbers.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

export const publishModeSchema = Type.Enum(["auto", "manual"], {
  description:
    "`auto`: every save is live. `manual`: a save changes the draft, and publishing makes it live.",
});
export type PublishMode = Static<typeof publishModeSchema>;

/** Set in the same request, but not part of the versioned configuration. */
interface PublishModeChange {
  publishMode?: PublishMode | null;
}

/** Read-only fields, so that what GET gave can be sent. */
const ignoredFields = {
  id: ignored,
  sipTrunk: ignored,
  folder: ignored,
  phoneNumbers: ignored,
  widgetKey: ignored,
  publishedRevision: ignored,
  hasUnpublishedChanges: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

interface CopyFields {
  customTools?: CustomToolCreation[] | null;
  id?: unknown;
}

const creationSchema = Type.Unsafe<AgentCreation & PublishModeChange & CopyFields>(
  closedObject(
    {
      ...creationSchemas(agentFields),
      publishMode: Type.Optional(
        withDefaultNoted(
          nullableMode(
            "`auto`: every save is live. `manual`: calls run on the draft until a revision is published.",
          ),
          "auto",
        ),
      ),
      customTools: Type.Optional(
        nullable(
          Type.Array(customToolCreationSchema, {
            maxItems: 100,
            description: "Custom tools of the new agent. Default: `[]`.",
          }),
        ),
      ),
      ...ignoredFields,
      id: Type.Optional(
        Type.Unknown({
          readOnly: true,
          description:
            "Read-only. In what `GET` gave, it names the original: what is stored there is accepted even if it would be refused today.",
        }),
      ),
    },
    { title: "AgentCreate" },
  ),
);

/** Protects the changes of others from being overwritten unseen. */
interface Precondition {
  ifUpdatedAt?: string;
}

const updateSchema = Type.Unsafe<AgentChange & PublishModeChange & Precondition>(
  closedObject(
    {
      ...changeSchemas(agentFields),
      publishMode: Type.Optional(
        nullableMode(
          "Changing to `manual` publishes the draft at once. Changing to `auto` clears `publishedRevision`: every save is live.",
        ),
      ),
      ifUpdatedAt: Type.Optional({
        ...timestampSchema,
        description:
          "`updatedAt` of the state that the change is based on. If the agent was changed since, returns `agent_changed`. " +
          "Default: the change is made in any case.",
      }),
      ...ignoredFields,
      customTools: ignored,
    },
    {
      title: "AgentUpdate",
      description:
        "Absent fields are unchanged; null resets a field to its default. Typed objects merge by field; variable maps, " +
        "`flowDefinition`, `runtimeConfig` and arrays are replaced.",
    },
  ),
);

function nullableMode(description: string) {
  return { ...publishModeSchema, description, type: ["string", "null"], enum: ["auto", "manual", null] };
}

const identity = {
  id: idSchema,
  sipTrunk: nullable(
    Type.Object(
      { friendlyName: Type.String() },
      { description: "Name of the trunk in `sipTrunkId`. Null: no trunk is set." },
    ),
  ),
  folder: nullable(agentFolderSchema),
  phoneNumbers: Type.Array(agentPhoneNumberSchema, { description: "Phone numbers that the agent answers." }),
  widgetKey: Type.String({ description: "Public identifier of the agent for its web widget. Not a secret." }),
  publishMode: publishModeSchema,
  publishedRevision: nullable(
    Type.Integer({
      description: "Revision that calls run on. Null: nothing is published, and calls run on the draft.",
    }),
  ),
  hasUnpublishedChanges: Type.Boolean({
    description:
      "Whether the draft differs from the published revision; always false if nothing is published. Fields that are " +
      "always live do not count: phone numbers, SIP trunk, status.",
  }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};
const identitySchema = Type.Object(identity);

/** An agent as the API returns it. */
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
    { title: "Agent", description: "Configuration that answers and places calls." },
  ),
);

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });

export const createAgentRoute = defineRoute({
  method: "POST",
  path: "/agents",
  operationId: "createAgent",
  tag: "Agents",
  summary: "Create an agent",
  description:
    "Only `name` is required. Absent and null fields get their defaults. Creates revision 1. " +
    "What `GET` gave makes a copy, with its custom tools; phone numbers and environments stay with the original, so the copy's " +
    "widget runs `production`.",
  body: creationSchema,
  status: 201,
  response: dataOf(agentSchema),
  errors: ["environment_not_found", "limit_reached"],
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
      Type.String({ minLength: 1, maxLength: 128, description: "Part of the name, case-insensitive." }),
    ),
    status: Type.Optional(agentStatusSchema),
    folderId: Type.Optional({ ...idSchema, description: "Only agents in this folder." }),
    sipTrunkId: Type.Optional({ ...idSchema, description: "Only agents with this SIP trunk." }),
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
    "Changes the fields in the body and creates a new revision. A request that changes nothing creates none. Calls in " +
    "progress are not affected. If `widgetConfig.environment` names no environment, returns `environment_not_found`.",
  params: agentParams,
  body: updateSchema,
  status: 200,
  response: dataOf(agentSchema),
  errors: ["environment_not_found", "agent_changed"],
  isBillingRequired: false,
});

export const deleteAgentRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}",
  operationId: "deleteAgent",
  tag: "Agents",
  summary: "Delete an agent",
  description:
    "The agent's phone numbers stay in the organization and are bound to no agent. Revisions, calls and conversations are kept. Refused (`agent_in_use`) while a campaign of the agent has not ended.",
  params: agentParams,
  status: 200,
  response: deletedResponse,
  errors: ["agent_in_use"],
});
