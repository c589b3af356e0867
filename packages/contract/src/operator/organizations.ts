import { type Static, Type } from "typebox";
import { limitOverridesSchema, limitsSchema, limitsUpdateSchema } from "../organizations/limits.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "\\S",
    description: "Display name.",
    examples: ["Model railway club"],
  }),
  isBillingActive: Type.Boolean({
    description:
      "`false`: most operations of the organization return `billing_inactive`, and no calls are answered or placed. Requests notice a change within 30 seconds, calls at once.",
    examples: [true],
  }),
  homeCountry: nullable(
    Type.String({
      pattern: "^[A-Z]{2}$",
      description:
        "Home country as an ISO 3166 code. Null: that of the oldest phone number, stored at the first outbound call.",
      examples: ["DE"],
    }),
  ),
  allowedCountries: nullable(
    Type.Array(Type.String({ pattern: "^[A-Z]{2}$" }), {
      maxItems: 250,
      uniqueItems: true,
      description: "Countries that can be called, as ISO 3166 codes. Null: only the home country.",
      examples: [["DE", "AT"]],
    }),
  ),
  isPremiumRateAllowed: Type.Boolean({
    description: "Whether premium-rate numbers can be called. Default: false.",
  }),
};

const organizationSchema = Type.Object(
  {
    id: idSchema,
    ...fields,
    limits: limitsSchema,
    limitOverrides: limitOverridesSchema,
    createdAt: timestampSchema,
  },
  { title: "OperatedOrganization", description: "An organization as its operator sees it." },
);

export type OperatedOrganization = Static<typeof organizationSchema>;

const createdSchema = Type.Object(
  {
    ...organizationSchema.properties,
    apiKey: Type.String({
      description: "First API key of the organization. Returned only in this response.",
      examples: ["parley_5T7c…"],
    }),
  },
  { title: "OperatedOrganizationCreated" },
);

const changeable = {
  isBillingActive: Type.Optional(fields.isBillingActive),
  homeCountry: Type.Optional(fields.homeCountry),
  allowedCountries: Type.Optional(fields.allowedCountries),
  isPremiumRateAllowed: Type.Optional(fields.isPremiumRateAllowed),
  limits: Type.Optional(limitsUpdateSchema),
};

const creationSchema = closedObject(
  { name: fields.name, ...changeable },
  { title: "OperatedOrganizationCreate" },
);
const updateSchema = closedObject(
  {
    name: Type.Optional(fields.name),
    ...changeable,
    id: ignored,
    limitOverrides: ignored,
    createdAt: ignored,
  },
  { title: "OperatedOrganizationUpdate" },
);

export type OperatedOrganizationCreation = Static<typeof creationSchema>;
export type OperatedOrganizationChange = Static<typeof updateSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the organization." } });
/** Operators belong to no organization, so they have no billing. */
export const operated = { isOperator: true, isBillingRequired: false, tag: "Operator" } as const;

export const createOrganizationRoute = defineRoute({
  ...operated,
  method: "POST",
  path: "/organizations",
  operationId: "createOrganization",
  summary: "Create an organization",
  description: "Creates an organization with its first API key, which is returned only in this response.",
  body: creationSchema,
  status: 201,
  response: dataOf(createdSchema),
});

export const listOrganizationsRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/organizations",
  operationId: "listOrganizations",
  summary: "List organizations",
  query: closedObject({
    ...pageQuery,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: "Only names that contain this text, in any case.",
      }),
    ),
  }),
  status: 200,
  response: pageOf(organizationSchema),
});

export const getOperatedOrganizationRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/organizations/{id}",
  operationId: "getOperatedOrganization",
  summary: "Get an organization",
  params,
  status: 200,
  response: dataOf(organizationSchema),
});

export const updateOperatedOrganizationRoute = defineRoute({
  ...operated,
  method: "PATCH",
  path: "/organizations/{id}",
  operationId: "updateOperatedOrganization",
  summary: "Change an organization",
  description:
    "Sets billing, home country, allowed countries and limits. Limits are merged: absent ones stay, null resets one to its default. Nodes notice changed limits within 10 seconds.",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(organizationSchema),
});
