import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  timestampSchema,
} from "../schemas.ts";
import { providerFailureSchema } from "../calls/provider-failures.ts";

const providerSchema = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Id of the provider, as in `GET /providers`.",
  examples: ["elevenlabs"],
});

const providerKeySchema = Type.Object(
  {
    id: idSchema,
    provider: providerSchema,
    last4: Type.String({ description: "Last four characters of the key." }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "ProviderKey", description: "The organization's own key at a provider." },
);

export type ProviderKey = Static<typeof providerKeySchema>;

const createSchema = closedObject(
  {
    provider: providerSchema,
    apiKey: Type.String({
      minLength: 8,
      maxLength: 512,
      pattern: "^[!-~]+$",
      writeOnly: true,
      description: "Key of an account at the provider. Verified there, stored encrypted, never returned.",
      examples: ["sk-3f5e9c1d7b2a4860"],
    }),
    id: ignored,
    last4: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "ProviderKeyCreate" },
);

export type ProviderKeyCreate = Static<typeof createSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the key." } });
const tag = "Providers";

export const createProviderKeyRoute = defineRoute({
  method: "POST",
  path: "/provider-keys",
  operationId: "createProviderKey",
  tag,
  role: "admin",
  summary: "Store the organization's key at a provider",
  description:
    "Replaces the organization's key at this provider, if there is one. The organization's next calls, text conversations, analyses " +
    "and lists of voices and models use it in place of the operator's key: for the voices and models of that provider, for speech " +
    "recognition if the operator's is that provider or the local one, and as `service-standard` if the operator has no language " +
    "model. It is sent only to the provider's address, or to the one that the operator has configured for the provider. A key " +
    "that the provider refuses returns `invalid_body`.",
  body: createSchema,
  status: 201,
  response: dataOf(providerKeySchema),
  errors: ["provider_unreachable"],
});

export const listProviderKeysRoute = defineRoute({
  method: "GET",
  path: "/provider-keys",
  operationId: "listProviderKeys",
  tag,
  summary: "List the organization's keys at providers",
  status: 200,
  response: dataOf(Type.Array(providerKeySchema)),
});

export const getProviderKeyRoute = defineRoute({
  method: "GET",
  path: "/provider-keys/{id}",
  operationId: "getProviderKey",
  tag,
  summary: "Get the organization's key at a provider",
  params,
  status: 200,
  response: dataOf(providerKeySchema),
});

export const deleteProviderKeyRoute = defineRoute({
  method: "DELETE",
  path: "/provider-keys/{id}",
  operationId: "deleteProviderKey",
  tag,
  role: "admin",
  summary: "Delete the organization's key at a provider",
  description:
    "Later calls use the operator's key, if there is one. Calls in progress keep the deleted one. Voices that " +
    "were cloned with it become `failed` until a key of the same account is stored.",
  params,
  status: 200,
  response: deletedResponse,
});

const providerStateSchema = Type.Object(
  {
    id: providerSchema,
    displayName: Type.String({ description: "Name for people." }),
    parts: Type.Array(providerFailureSchema.properties.part, {
      description: "What it offers: speech recognition (`stt`), language models (`llm`), voices (`tts`).",
    }),
    takesKey: Type.Boolean({ description: "Whether organizations can have a key of their own there." }),
    source: nullableEnum(["organization", "operator"], {
      description: "Whose access the organization's agents use. Null: none is configured.",
    }),
    host: Type.String({
      description: "Host to which requests and keys are sent.",
      examples: ["api.elevenlabs.io"],
    }),
    keyId: nullable({ ...idSchema, description: "Id of the organization's own key. Null: none." }),
    last4: nullable(
      Type.String({ description: "Last four characters of the organization's own key. Null: none." }),
    ),
    failuresLastHour: Type.Integer({
      minimum: 0,
      description:
        "Failures in the organization's calls and conversations by text within the last hour, of the last 1,000 failures of all providers in each.",
    }),
    lastFailure: Type.Union([providerFailureSchema, Type.Null()], {
      description: "The last failure within the last 24 hours. Null: none.",
    }),
  },
  {
    title: "ProviderState",
    description: "A provider with its health in the organization's calls and conversations by text.",
  },
);

export type ProviderState = Static<typeof providerStateSchema>;

export const listProvidersRoute = defineRoute({
  method: "GET",
  path: "/providers",
  operationId: "listProviders",
  tag,
  summary: "List the providers with their health",
  status: 200,
  response: dataOf(Type.Array(providerStateSchema)),
});

const providerCheckSchema = Type.Object(
  {
    isOk: Type.Boolean({ description: "Whether the provider accepts the key." }),
    problem: nullableEnum(["not_configured", "key_refused", "provider_unreachable"], {
      description: "Machine-readable cause. Null: no problem.",
    }),
    message: Type.String({ description: "Human-readable result. Not stable." }),
    latencyMs: nullable(
      Type.Integer({
        minimum: 0,
        description:
          "Time in milliseconds until the provider answered a request of this server, with the connection. Null: it did not answer.",
      }),
    ),
    checkedAt: timestampSchema,
  },
  { title: "ProviderCheck" },
);

export type ProviderCheck = Static<typeof providerCheckSchema>;

export const checkProviderRoute = defineRoute({
  method: "POST",
  path: "/providers/{provider}/check",
  operationId: "checkProvider",
  tag,
  summary: "Check the key at a provider",
  description: "Sends a request that costs nothing, with the key that the organization's calls use.",
  params: Type.Object({ provider: providerSchema }),
  status: 200,
  response: dataOf(providerCheckSchema),
  rateLimit: { requests: 60, windowSeconds: 60 },
});
