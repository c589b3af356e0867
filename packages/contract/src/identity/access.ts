import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema } from "../schemas.ts";
import { apiKeyRoles, memberRoles } from "./roles.ts";

const accessSchema = Type.Object(
  {
    type: Type.Enum(["user", "api_key"]),
    id: { ...idSchema, description: "Id of the user or API key." },
    name: Type.String({ description: "Name of the user or API key, shown as actor in version histories." }),
    role: Type.Enum([...new Set([...memberRoles, ...apiKeyRoles])], {
      description: "Role in the organization, which decides what operations are allowed.",
    }),
  },
  { title: "Access" },
);

export type Access = Static<typeof accessSchema>;

export const getAccessRoute = defineRoute({
  method: "GET",
  path: "/access",
  operationId: "getAccess",
  tag: "Organization",
  summary: "Get the name and role of the API key or session",
  status: 200,
  response: dataOf(accessSchema),
  isBillingRequired: false,
});
