import { type Static, Type } from "typebox";
import { auditLogEntrySchema } from "../identity/audit-log.ts";
import { defineRoute } from "../route.ts";
import { closedObject, idSchema, nullable, pageOf, pageQuery } from "../schemas.ts";
import { operated } from "./organizations.ts";

const entrySchema = Type.Object(
  {
    ...auditLogEntrySchema.properties,
    organizationId: nullable({
      ...idSchema,
      description: "Organization that the operation was about. Null: a user, or none.",
    }),
  },
  { title: "OperatorAuditLogEntry", description: "A successful operation of an operator that wrote." },
);

export type OperatorAuditLogEntry = Static<typeof entrySchema>;

const querySchema = closedObject({
  ...pageQuery,
  organizationId: Type.Optional({ ...idSchema, description: "Only operations about this organization." }),
});

export type OperatorAuditLogQuery = Static<typeof querySchema>;

export const listOperatorAuditLogRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/operator-actions",
  operationId: "listOperatorAuditLog",
  summary: "List what operators did",
  description: "Entries about an organization are also in its own audit log.",
  query: querySchema,
  status: 200,
  response: pageOf(entrySchema),
});
