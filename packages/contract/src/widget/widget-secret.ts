import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema, nullable } from "../schemas.ts";

const params = Type.Object({ id: { ...idSchema, description: "Id of the agent." } });
const tag = "Agents";

const stateFields = {
  enabled: Type.Boolean({ description: "Whether the agent has a secret." }),
  last4: nullable(Type.String({ description: "Last four characters of the secret. Null: none." })),
};

const widgetSecretSchema = Type.Object(
  {
    secret: Type.String({
      description: "The whole secret, which no other response contains.",
      examples: ["wus_Jk2mP0c5Yb9ZrT4vQx7LdN1sWf8HgE3aUo6IiKtMzRw"],
    }),
    ...stateFields,
  },
  { title: "WidgetSecret" },
);

const widgetSecretStateSchema = Type.Object(stateFields, { title: "WidgetSecretState" });

export const rotateWidgetSecretRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/widget-secret",
  operationId: "rotateWidgetSecret",
  role: "admin",
  tag,
  summary: "Create or rotate the secret of signed widget users",
  description:
    "Your server signs the `userToken` of widget sessions with it: a JWT with `alg` `HS256`, keyed with the bytes of the whole " +
    "secret string. The previous secret is invalid at once; sessions that exist stay. The secret is not part of versions. " +
    "Send an `Idempotency-Key`: a retry without it rotates again.",
  params,
  status: 200,
  response: dataOf(widgetSecretSchema),
});

export const getWidgetSecretRoute = defineRoute({
  method: "GET",
  path: "/agents/{id}/widget-secret",
  operationId: "getWidgetSecret",
  tag,
  summary: "Get the state of the secret of signed widget users",
  params,
  status: 200,
  response: dataOf(widgetSecretStateSchema),
});

export const deleteWidgetSecretRoute = defineRoute({
  method: "DELETE",
  path: "/agents/{id}/widget-secret",
  operationId: "deleteWidgetSecret",
  role: "admin",
  tag,
  summary: "Delete the secret of signed widget users",
  description:
    "Every `userToken` is refused from now on. `last4` is that of the deleted secret; null if there was none.",
  params,
  status: 200,
  response: dataOf(widgetSecretStateSchema),
});
