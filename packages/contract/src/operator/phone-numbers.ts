import { type Static, Type } from "typebox";
import { phoneNumberRecordSchema } from "../phone-numbers/phone-numbers.ts";
import { defineRoute } from "../route.ts";
import { closedObject, deletedResponse, idSchema, pageOf, pageQuery, phoneNumberSchema } from "../schemas.ts";
import { operated } from "./organizations.ts";

const claimSchema = Type.Object(
  {
    ...phoneNumberRecordSchema.properties,
    organizationId: { ...idSchema, description: "Organization that has the number." },
    organizationName: Type.String({ description: "Name of that organization." }),
  },
  { title: "OperatedPhoneNumber", description: "A phone number as the operator sees it." },
);

export type OperatedPhoneNumber = Static<typeof claimSchema>;

export const listOperatedPhoneNumbersRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/number-claims",
  operationId: "listOperatedPhoneNumbers",
  summary: "List phone numbers of all organizations",
  query: closedObject({
    ...pageQuery,
    e164: Type.Optional({ ...phoneNumberSchema, description: "Only this number, in E.164." }),
    organizationId: Type.Optional({ ...idSchema, description: "Only numbers of this organization." }),
  }),
  status: 200,
  response: pageOf(claimSchema),
});

export const releasePhoneNumberRoute = defineRoute({
  ...operated,
  method: "DELETE",
  path: "/number-claims/{id}",
  operationId: "releasePhoneNumber",
  summary: "Release a phone number",
  description:
    "Deletes the number from its organization, so that another one can add it. Its agent gets a new version without the number. Calls in progress go on. The node logs the release.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the phone number." } }),
  status: 200,
  response: deletedResponse,
});
