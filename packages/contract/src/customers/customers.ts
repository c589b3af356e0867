import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const customerSchema = Type.Object(
  {
    id: idSchema,
    agentId: { ...idSchema, description: "Id of the agent. Unchanged if the agent is deleted." },
    userId: nullable(
      Type.String({
        description:
          "`sub` of the `userToken` that the widget's page signed. Null: not signed, or known by number.",
      }),
    ),
    phoneNumber: nullable(
      Type.String({
        description:
          "Number in E.164, if the agent's `phoneMemoryEnabled` is true. Null: known by the widget.",
        examples: ["+14155550123"],
      }),
    ),
    createdAt: timestampSchema,
  },
  {
    title: "Customer",
    description:
      "Other side of an agent's conversations that is recognized in the next one: a visitor of its widget, a signed user, or a number.",
  },
);

export type Customer = Static<typeof customerSchema>;

const tag = "Customers";
const params = Type.Object({ id: { ...idSchema, description: "Id of the customer." } });

export const listCustomersRoute = defineRoute({
  method: "GET",
  path: "/customers",
  operationId: "listCustomers",
  tag,
  summary: "List customers",
  query: closedObject({
    ...pageQuery,
    agentId: Type.Optional(idSchema),
    userId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "Only the customer with this user id." }),
    ),
    phoneNumber: Type.Optional(
      Type.String({ minLength: 1, maxLength: 32, description: "Only customers with this number." }),
    ),
  }),
  status: 200,
  response: pageOf(customerSchema),
});

export const getCustomerRoute = defineRoute({
  method: "GET",
  path: "/customers/{id}",
  operationId: "getCustomer",
  tag,
  summary: "Get a customer",
  description:
    "What was said is in the conversations with this `customerId`: `GET /conversations?customerId=`.",
  params,
  status: 200,
  response: dataOf(customerSchema),
});

export const deleteCustomerRoute = defineRoute({
  method: "DELETE",
  path: "/customers/{id}",
  operationId: "deleteCustomer",
  tag,
  summary: "Delete a customer with all conversations",
  description:
    "Deletes the customer and the conversations with this `customerId` on every channel: transcripts, results, text messages, and " +
    "calls with their recordings, as `DELETE /calls/{id}` does. Sessions of the widget end. An active call returns " +
    "`call_not_ended`: hang it up first. If the operation fails, repeat it.",
  params,
  status: 200,
  response: deletedResponse,
  errors: ["call_not_ended"],
});
