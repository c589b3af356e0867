import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { limitsSchema } from "./limits.ts";
import { closedObject, dataOf, idSchema, ignored, nullable } from "../schemas.ts";

const countrySchema = Type.String({ pattern: "^[A-Z]{2}$" });

const organizationSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String({ examples: ["Model railway club"] }),
    isBillingActive: Type.Boolean({
      description: "`false`: most operations return `billing_inactive`, and no calls are answered or placed.",
    }),
    homeCountry: nullable({
      ...countrySchema,
      description:
        "Country of the organization, as an ISO 3166 code. Set by the operator, else at the first outbound call: the " +
        "country of the organization's oldest phone number. Null: none yet.",
      examples: ["DE"],
    }),
    allowedCountries: nullable(
      Type.Array(countrySchema, {
        description:
          "Countries that can be called, as ISO 3166 codes. Set by the operator. Null: only the home country.",
        examples: [["DE", "US"]],
      }),
    ),
    isPremiumRateAllowed: Type.Boolean({
      description: "Whether premium-rate numbers can be called. Set by the operator.",
    }),
    limits: limitsSchema,
  },
  { title: "Organization" },
);

export const getOrganizationRoute = defineRoute({
  method: "GET",
  path: "/organization",
  operationId: "getOrganization",
  tag: "Organization",
  summary: "Get the organization of the API key or session",
  status: 200,
  response: dataOf(organizationSchema),
});

export const updateOrganizationRoute = defineRoute({
  method: "PATCH",
  path: "/organization",
  operationId: "updateOrganization",
  tag: "Organization",
  role: "admin",
  summary: "Rename the organization",
  body: closedObject(
    {
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["Model railway club"] }),
      ),
      id: ignored,
      isBillingActive: ignored,
      homeCountry: ignored,
      allowedCountries: ignored,
      isPremiumRateAllowed: ignored,
      limits: ignored,
    },
    { title: "OrganizationUpdate" },
  ),
  status: 200,
  response: dataOf(organizationSchema),
});
