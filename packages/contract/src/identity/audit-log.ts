import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, idSchema, nullable, pageOf, pageQuery, timestampSchema } from "../schemas.ts";

export const auditLogEntrySchema = Type.Object(
  {
    id: idSchema,
    createdAt: timestampSchema,
    actor: Type.Object({
      type: Type.Enum(["user", "api_key", "operator"], {
        description: "`operator`: a user who is operator, or the operator's key, used `/operator/v1`.",
      }),
      id: nullable({ ...idSchema, description: "Id of the user or API key. Null: the operator's key." }),
      name: Type.String({ description: "Name of the user or API key at that time." }),
    }),
    action: Type.String({
      description: "Name of the operation in this reference.",
      examples: ["updateAgent"],
    }),
    targetId: nullable(
      Type.String({
        description: "Id or name of what the operation changed. Null: the organization, or the account.",
      }),
    ),
    detail: nullable(
      Type.String({
        description: "What the operation recorded beside it, such as a speaker's consent. Null: nothing.",
      }),
    ),
    ipAddress: Type.String({ description: "Address that sent the request." }),
  },
  { title: "AuditLogEntry", description: "A successful operation that wrote." },
);

export type AuditLogEntry = Static<typeof auditLogEntrySchema>;

const query = {
  ...pageQuery,
  actorId: Type.Optional(Type.String({ format: "uuid", description: "Id of a user or API key." })),
  action: Type.Optional(Type.String({ maxLength: 128, description: "Name of an operation." })),
  targetId: Type.Optional(Type.String({ maxLength: 128, description: "Id or name of what was changed." })),
  createdAfter: Type.Optional(Type.String({ format: "date-time", description: "Earliest time, included." })),
  createdBefore: Type.Optional(Type.String({ format: "date-time", description: "Latest time, excluded." })),
};
const querySchema = closedObject(query);

export type AuditLogQuery = Static<typeof querySchema>;

export const listAuditLogRoute = defineRoute({
  method: "GET",
  path: "/audit-log",
  operationId: "listAuditLog",
  tag: "Organization",
  role: "admin",
  summary: "List what people and keys did",
  description:
    "Successful operations that write, also those that users make with their own account, such as signing in and out, and those of the operator about the organization. Entries are kept for the days of `PARLEY_AUDIT_LOG_DAYS`.",
  query: querySchema,
  status: 200,
  response: pageOf(auditLogEntrySchema),
});
