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
/** `production` does not count. */
export const MAX_ENVIRONMENTS = 10;

const revisionSchema = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: "Pinned revision. Null: the saved draft.",
  }),
);

const environmentSchema = Type.Object(
  {
    name: environmentNameSchema,
    revision: revisionSchema,
    variables: { ...variablesSchema, description: "Variables that override the agent's `defaultVariables`." },
    builtin: Type.Boolean({ description: "True for `production`." }),
    phoneNumbers: Type.Array(Type.String(), {
      description: "Phone numbers whose calls run in this environment, in E.164.",
    }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  {
    title: "Environment",
    description:
      "Named target of an agent: a pinned revision or the draft, with its own variables. `production` always exists: it " +
      "is the published revision, or the draft if nothing is published (`revision` null).",
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
  // Not the slug's schema: an invalid name gets an error for the name, not a 404 for the path.
  name: Type.String({ description: `Name of the environment: \`${ENVIRONMENT_NAME_PATTERN}\`.` }),
});

export const putEnvironmentRoute = defineRoute({
  method: "PUT",
  path: "/agents/{id}/environments/{name}",
  operationId: "putEnvironment",
  tag: "Environments",
  summary: "Create or change an environment",
  description:
    "Creates the environment if the name is new; without `revision` it pins the draft. Otherwise changes the fields in " +
    `the body; \`variables\` replaces all variables. An agent has at most ${MAX_ENVIRONMENTS} environments besides ` +
    "`production`, which changes only by publishing.",
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
  description:
    "Returns all environments, not paged: `production` first, with the phone numbers that are bound to no other, then the others in order of creation.",
  params: agentParams,
  status: 200,
  response: Type.Object({ data: Type.Array(environmentSchema) }),
  isBillingRequired: false,
});

export const getEnvironmentRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/environments/{name}",
  operationId: "getEnvironment",
  tag: "Environments",
  summary: "Get an environment",
  params: environmentParams,
  status: 200,
  response: dataOf(environmentSchema),
  isBillingRequired: false,
});

export const deleteEnvironmentRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}/environments/{name}",
  operationId: "deleteEnvironment",
  tag: "Environments",
  summary: "Delete an environment",
  description:
    "Rejected while phone numbers are bound to the environment. A widget bound to it then runs `production`.",
  params: environmentParams,
  status: 200,
  response: dataOf(
    Type.Object(
      { id: Type.String({ description: "Name of the environment." }), deleted: Type.Literal(true) },
      { title: "EnvironmentDeleted" },
    ),
  ),
  errors: ["environment_builtin", "environment_in_use"],
});
