import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  ENVIRONMENT_NAME_PATTERN,
  environmentNameSchema,
  idSchema,
  ignored,
  nullable,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

export const PRODUCTION = "production";
/** `production` not counted. */
export const MOST_ENVIRONMENTS = 10;

const revisionSchema = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: "The pinned revision; null: the draft as it is saved.",
  }),
);

const environmentSchema = Type.Object(
  {
    name: environmentNameSchema,
    revision: revisionSchema,
    variables: { ...variablesSchema, description: "Over the agent's `defaultVariables`." },
    builtin: Type.Boolean({ description: "True for `production`." }),
    phoneNumbers: Type.Array(Type.String(), { description: "Numbers whose calls run in it, in E.164." }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  {
    title: "Environment",
    description:
      "A name for what an agent runs: one of its revisions, or its draft, with variables of its own. `production` is " +
      "always there: the published revision, or the draft where nothing is published (`revision` null).",
  },
);

export type Environment = Static<typeof environmentSchema>;

const changeSchema = closedObject(
  {
    revision: Type.Optional(revisionSchema),
    variables: Type.Optional(nullable(variablesSchema)),
    name: ignored,
    builtin: ignored,
    phoneNumbers: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "EnvironmentPut" },
);

export type EnvironmentChange = Static<typeof changeSchema>;

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const environmentParams = Type.Object({
  ...agentParams.properties,
  // Not the slug's schema: a name that is none is refused by name, not as an unknown path.
  name: Type.String({ description: `Name of the environment: \`${ENVIRONMENT_NAME_PATTERN}\`.` }),
});

export const putEnvironmentRoute = defineRoute({
  method: "PUT",
  path: "/agents/{id}/environments/{name}",
  operationId: "putEnvironment",
  tag: "Environments",
  summary: "Create or change an environment",
  description:
    "Creates it where the name is new (without `revision` it pins the draft), else changes the fields that are sent; " +
    `\`variables\` are replaced as a whole. An agent has at most ${MOST_ENVIRONMENTS}; \`production\` changes by publishing only.`,
  params: environmentParams,
  body: changeSchema,
  status: 200,
  response: dataOf(environmentSchema),
  errors: ["revision_not_found", "environment_builtin", "environment_limit_reached"],
  isBillingRequired: false,
});

export const listEnvironmentsRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/environments",
  operationId: "listEnvironments",
  tag: "Environments",
  summary: "List an agent's environments",
  description: "All of them: `production` first, with the numbers bound to no other, then the oldest first.",
  params: agentParams,
  status: 200,
  response: Type.Object({ data: Type.Array(environmentSchema) }),
  isBillingRequired: false,
});

export const deleteEnvironmentRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}/environments/{name}",
  operationId: "deleteEnvironment",
  tag: "Environments",
  summary: "Delete an environment",
  description: "Refused while numbers are bound to it. A widget bound to it runs production from then on.",
  params: environmentParams,
  status: 200,
  response: Type.Object(
    { id: Type.String({ description: "The environment's name." }), deleted: Type.Literal(true) },
    { title: "EnvironmentDeleted" },
  ),
  errors: ["environment_not_found", "environment_builtin", "environment_in_use"],
});
