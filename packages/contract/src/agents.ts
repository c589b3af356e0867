import { type Static, type TSchema, Type } from "typebox";
import { agentDefaults, agentRanges } from "./agent-defaults.ts";
import { agentPhoneNumberSchema } from "./phone-numbers.ts";
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
  variablesSchema,
} from "./schemas.ts";

function wordsSchema(options: object) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, ...options });
}

/** What a conversation runs on: every field has a default, and a version is a snapshot of them all. */
const configurationFields = {
  promptTemplate: Type.String({
    maxLength: 100_000,
    description: "The agent's instructions. `{{name}}` is replaced by a variable's value.",
  }),
  firstMessage: nullable(
    Type.String({
      maxLength: 4_000,
      description: "What the agent says first. Null: it makes up a greeting.",
    }),
  ),
  firstMessageDelayMs: Type.Integer({
    ...agentRanges.firstMessageDelayMs,
    description: "Pause between the answer and the first message.",
  }),
  startSpeaker: Type.Enum(["agent", "user"], { description: "Who speaks first." }),
  firstMessageMode: Type.Enum(["static", "generated"], {
    description: "`static` speaks `firstMessage` as it is; `generated` lets the model phrase it.",
  }),
  defaultVariables: variablesSchema,
  language: Type.String({
    pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    description: "BCP 47.",
    examples: ["en"],
  }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "IANA name.",
    examples: ["Europe/Berlin"],
  }),
  turnTimeoutSeconds: Type.Number({
    ...agentRanges.turnTimeoutSeconds,
    description: "Silence after the agent has spoken until it takes the word again.",
  }),
  silenceEndCallTimeoutSeconds: Type.Number({
    ...agentRanges.silenceEndCallTimeoutSeconds,
    description: "Silence of both until the call is ended (`silence_timeout`).",
  }),
  maxConversationDurationSeconds: Type.Number({
    ...agentRanges.maxConversationDurationSeconds,
    description: "Length at which the call is ended (`max_duration`).",
  }),
  llmModel: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      "`service-standard` is the operator's default model; `provider/model` names another that is configured.",
  }),
  llmTemperature: Type.Number(agentRanges.llmTemperature),
  llmReasoningEffort: Type.Enum(["none", "low", "medium", "high"], {
    description: "Where the model knows such a thing.",
  }),
  voiceId: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: "Null: the operator's default voice." }),
  ),
  voiceTemperature: Type.Number({
    ...agentRanges.voiceTemperature,
    description: "Where the voice knows such a thing.",
  }),
  voiceSpeed: Type.Number({ ...agentRanges.voiceSpeed, description: "1 is the voice's own pace." }),
  voiceVolume: Type.Number({ ...agentRanges.voiceVolume, description: "1 is the voice's own loudness." }),
  voiceTopP: Type.Number({ ...agentRanges.voiceTopP, description: "Where the voice knows such a thing." }),
  disableInterruptions: Type.Boolean({
    description: "True: the agent speaks to its end whatever the caller says.",
  }),
  interruptionThresholdMs: Type.Integer({
    ...agentRanges.interruptionThresholdMs,
    description: "How long the caller must speak to interrupt.",
  }),
  interruptionIgnoreWords: wordsSchema({
    description: "Said alone, these do not interrupt.",
    examples: [["uh-huh", "okay"]],
  }),
  minInterruptionWords: Type.Integer({
    ...agentRanges.minInterruptionWords,
    description: "Words that the caller must say to interrupt.",
  }),
  sttKeyterms: wordsSchema({
    description: "Words that speech recognition should favour.",
    examples: [["Parley"]],
  }),
  endCallEnabled: Type.Boolean({ description: "Whether the agent may hang up by itself." }),
  endCallRulesOverride: nullable(
    Type.String({ maxLength: 4_000, description: "When to hang up, in words; null: the built-in rules." }),
  ),
};

const configurationSchema = Type.Object(configurationFields);

/** The versioned part of an agent, every field present. */
export type AgentConfiguration = Static<typeof configurationSchema>;

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
  if (Array.isArray(schema.enum))
    return { ...schema, type: ["string", "null"], enum: [...schema.enum, null] };
  return typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : schema;
}

/** The fields of a change, all optional; on creation with the default that absence and null stand for. */
function changeFields(isCreation: boolean): Record<string, TSchema> {
  const entries = Object.entries<TSchema>(configurationFields).map(([name, field]) => {
    const initial = agentDefaults[name as keyof AgentConfiguration];
    return [
      name,
      Type.Optional({ ...acceptingNull(field), ...(isCreation ? { default: initial } : {}) }),
    ] as const;
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
