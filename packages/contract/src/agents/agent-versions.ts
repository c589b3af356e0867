import { type Static, Type } from "typebox";
import { type AgentConfiguration, agentFields } from "./agent-configuration.ts";
import { agentSchema, publishModeSchema } from "./agents.ts";
import { customToolSchema } from "./custom-tools.ts";
import { valueSchemas } from "../field-table.ts";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, pageOf, pageQuery, timestampSchema } from "../schemas.ts";

const revisionSchema = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: "Number of the version, counted per agent from 1 without gaps.",
});

export const versionKinds = ["created", "updated", "published", "restored", "deleted"] as const;
export type VersionKind = (typeof versionKinds)[number];

const actorSchema = Type.Object(
  {
    type: Type.Enum(["user", "api_key", "system"]),
    name: Type.String({ description: "Name of the user or of the API key." }),
  },
  { title: "Actor", description: "User, API key or system that made the change." },
);

export type Actor = Static<typeof actorSchema>;

const versionSchema = Type.Object(
  {
    id: idSchema,
    agentId: idSchema,
    revision: revisionSchema,
    kind: Type.Enum([...versionKinds]),
    actor: actorSchema,
    changedFields: Type.Array(Type.String(), {
      description: "Names of the agent's fields that the write changed.",
    }),
    createdAt: timestampSchema,
  },
  { title: "AgentVersion", description: "Version of an agent, created by one write." },
);

export type AgentVersion = Static<typeof versionSchema>;

const snapshotLinks = {
  phoneNumbers: Type.Array(
    Type.Object({ id: idSchema, e164: Type.String(), environment: nullable(Type.String()) }),
  ),
  customTools: Type.Array(customToolSchema),
};
const snapshotLinksSchema = Type.Object(snapshotLinks);

const snapshotSchema = Type.Unsafe<AgentConfiguration & Static<typeof snapshotLinksSchema>>(
  Type.Object(
    { ...valueSchemas(agentFields), ...snapshotLinks },
    {
      title: "AgentSnapshot",
      description:
        "Complete configuration after the write. Values of the tools' `headers` and `queryParams` are masked.",
    },
  ),
);

const versionDetailSchema = Type.Object(
  {
    ...versionSchema.properties,
    changes: Type.Array(
      Type.Object({
        field: Type.String(),
        before: Type.Unknown({ description: "Value before the write. Null in the first version." }),
        after: Type.Unknown({ description: "Value after the write." }),
      }),
    ),
    snapshot: snapshotSchema,
  },
  { title: "AgentVersionDetail" },
);

export type AgentVersionDetail = Static<typeof versionDetailSchema>;

const agentParams = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const revisionParams = Type.Object({
  ...agentParams.properties,
  // Path parameters are strings.
  revision: Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "Revision number." }),
});

export const listAgentVersionsRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/revisions",
  operationId: "listAgentVersions",
  tag: "Versions",
  summary: "List an agent's versions",
  description: "Every write to an agent creates a version. Versions are kept after the agent is deleted.",
  params: agentParams,
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(versionSchema),
  isBillingRequired: false,
});

export const getAgentVersionRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/revisions/{revision}",
  operationId: "getAgentVersion",
  tag: "Versions",
  summary: "Get a version with its changes and the complete configuration",
  params: revisionParams,
  status: 200,
  response: dataOf(versionDetailSchema),
  isBillingRequired: false,
});

export const restoreAgentVersionRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/revisions/{revision}/restore",
  operationId: "restoreAgentVersion",
  tag: "Versions",
  summary: "Restore an earlier version of an agent",
  description:
    "Applies all fields of the version, including status and custom tools, as a new revision. Phone numbers and knowledge " +
    "base links are unchanged. In `manual` mode the published revision is unchanged.",
  params: revisionParams,
  status: 200,
  response: dataOf(
    Type.Object(
      {
        agent: agentSchema,
        restoredFromRevision: revisionSchema,
        newRevision: revisionSchema,
        notRestored: Type.Array(Type.String(), {
          description:
            "What differs from the version and was not restored, of `phoneNumbers` and `knowledgeBases`.",
        }),
        skippedStaleRefs: Type.Array(Type.String(), {
          description:
            "Which of `sipTrunkId`, `messagingConnectionId` and `folderId` were left unchanged because their target no longer exists.",
        }),
      },
      { title: "AgentRestored" },
    ),
  ),
  errors: ["restore_invalid", "restore_target_deleted"],
  isBillingRequired: false,
});

export const publishAgentRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/publish",
  operationId: "publishAgent",
  tag: "Versions",
  summary: "Publish an agent's draft or an earlier revision",
  description:
    "New calls run on the published revision at once; calls in progress are unchanged. Without `revision`, publishes the " +
    "draft; this has no effect if the draft is already live. With `revision`, publishes that revision and leaves the " +
    "draft unchanged. Only in `manual` mode; otherwise returns `publish_mode_auto`.",
  params: agentParams,
  body: closedObject(
    {
      revision: Type.Optional({ ...revisionSchema, description: "Revision to publish. Default: the draft." }),
      overrideReleaseGate: Type.Optional(
        Type.Boolean({
          description:
            "Publishes although a test suite that is the agent's release gate has not passed. Needs the role `admin`. Default: `false`.",
        }),
      ),
    },
    { title: "AgentPublish" },
  ),
  status: 200,
  response: dataOf(
    Type.Object(
      {
        publishMode: publishModeSchema,
        publishedRevision: nullable(revisionSchema),
        hasUnpublishedChanges: Type.Boolean(),
        revision: { ...revisionSchema, description: "Revision that new calls run on." },
      },
      { title: "AgentPublished" },
    ),
  ),
  errors: ["revision_not_found", "publish_mode_auto", "release_gate_failed"],
  isBillingRequired: false,
});
