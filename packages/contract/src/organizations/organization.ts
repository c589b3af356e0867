import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { limitsSchema } from "./limits.ts";
import { closedObject, dataOf, idSchema, ignored, nullable } from "../schemas.ts";

const allowedCountriesSchema = nullable(
  Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), {
    maxItems: 250,
    uniqueItems: true,
    description:
      "Countries that can be called, as ISO 3166 codes. Null: the countries of the organization's own phone numbers.",
    examples: [["DE", "US"]],
  }),
);

const organizationSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ examples: ["Model railway club"] }),
    isBillingActive: Type.Boolean({
      description: "`false`: most operations return `billing_inactive`, and no calls are answered or placed.",
    }),
    allowedCountries: allowedCountriesSchema,
    limits: limitsSchema,
  },
  { title: "Organization" },
);

export const getOrganizationRoute = defineRoute({
  method: "GET",
  path: "/organization",
  operationId: "getOrganization",
  tag: "Organization",
  summary: "Get the organization of the API key",
  status: 200,
  response: dataOf(organizationSchema),
});

export const updateOrganizationRoute = defineRoute({
  method: "PATCH",
  path: "/organization",
  operationId: "updateOrganization",
  tag: "Organization",
  summary: "Change the organization's allowed countries",
  body: closedObject(
    {
      allowedCountries: Type.Optional(allowedCountriesSchema),
      id: ignored,
      name: ignored,
      isBillingActive: ignored,
      limits: ignored,
    },
    { title: "OrganizationUpdate" },
  ),
  status: 200,
  response: dataOf(organizationSchema),
});
