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
  description: "Counts the agent's versions from 1, without gaps.",
});

export const versionKinds = ["created", "updated", "published", "restored", "deleted"] as const;
export type VersionKind = (typeof versionKinds)[number];

const actorSchema = Type.Object(
  {
    type: Type.Enum(["user", "api_key", "system"]),
    name: Type.String({ description: "The user's name, or that of the API key." }),
  },
  { title: "Actor", description: "Who did it." },
);

export type Actor = Static<typeof actorSchema>;

const versionSchema = Type.Object(
  {
    id: idSchema,
    agentId: idSchema,
    revision: revisionSchema,
    kind: Type.Enum([...versionKinds]),
    actor: actorSchema,
    changedFields: Type.Array(Type.String(), { description: "Names of the agent's fields." }),
    createdAt: timestampSchema,
  },
  { title: "AgentVersion", description: "What one write made of an agent." },
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
        "The whole configuration after the write. Values of tools' headers and query parameters are masked.",
    },
  ),
);

const versionDetailSchema = Type.Object(
  {
    ...versionSchema.properties,
    changes: Type.Array(
      Type.Object({
        field: Type.String(),
        before: Type.Unknown({ description: "Null where there was no agent before." }),
        after: Type.Unknown(),
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
  // A path holds texts.
  revision: Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "Number of the version." }),
});

export const listAgentVersionsRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/revisions",
  operationId: "listAgentVersions",
  tag: "Versions",
  summary: "List an agent's versions",
  description: "Every write made one. They stay when the agent is deleted.",
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
  summary: "Get a version with what it changed and the whole configuration",
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
  summary: "Bring an agent back to an earlier version",
  description:
    "Applies all fields of the version, its status and its tools, as a new version. Phone numbers and knowledge base " +
    "links stay as they are; in manual mode so does what is published.",
  params: revisionParams,
  status: 200,
  response: dataOf(
    Type.Object(
      {
        agent: agentSchema,
        restoredFromRevision: revisionSchema,
        newRevision: revisionSchema,
        notRestored: Type.Array(Type.String(), {
          description: "Of `phoneNumbers` and `knowledgeBases` those that differ from the version.",
        }),
        skippedStaleRefs: Type.Array(Type.String(), {
          description:
            "Of `sipTrunkId`, `messagingConnectionId` and `folderId` those whose target is gone: they stay as they are.",
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
    "New calls run on it at once, calls in progress go on as they are. Without `revision` the draft is published, " +
    "which does nothing where the published version equals it; with `revision` the draft stays as it is.",
  params: agentParams,
  body: closedObject(
    { revision: Type.Optional({ ...revisionSchema, description: "Absent: the draft." }) },
    { title: "AgentPublish" },
  ),
  status: 200,
  response: dataOf(
    Type.Object(
      {
        publishMode: publishModeSchema,
        publishedRevision: nullable(revisionSchema),
        hasUnpublishedChanges: Type.Boolean(),
        revision: { ...revisionSchema, description: "What calls now run on." },
      },
      { title: "AgentPublished" },
    ),
  ),
  errors: ["revision_not_found", "publish_mode_auto"],
  isBillingRequired: false,
});
