import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, ignored, nullable } from "../schemas.ts";

const allowedCountriesSchema = nullable(
  Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), {
    maxItems: 250,
    uniqueItems: true,
    description:
      "Where calls may go: ISO 3166 codes of countries. Null: the countries of the organization's own numbers.",
    examples: [["DE", "US"]],
  }),
);

const organizationSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ examples: ["Model railway club"] }),
    isBillingActive: Type.Boolean({
      description: "False: most operations answer `billing_inactive`, and no call is taken or placed.",
    }),
    allowedCountries: allowedCountriesSchema,
  },
  { title: "Organization" },
);

export const getOrganizationRoute = defineRoute({
  method: "GET",
  path: "/organization",
  operationId: "getOrganization",
  tag: "Organization",
  summary: "Get the organization that the key belongs to",
  status: 200,
  response: dataOf(organizationSchema),
});

export const updateOrganizationRoute = defineRoute({
  method: "PATCH",
  path: "/organization",
  operationId: "updateOrganization",
  tag: "Organization",
  summary: "Change where the organization's calls may go",
  body: closedObject(
    {
      allowedCountries: Type.Optional(allowedCountriesSchema),
      id: ignored,
      name: ignored,
      isBillingActive: ignored,
    },
    { title: "OrganizationUpdate" },
  ),
  status: 200,
  response: dataOf(organizationSchema),
});
