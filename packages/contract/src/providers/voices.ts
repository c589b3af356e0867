import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, nullableEnum } from "../schemas.ts";

const voiceIdSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Id of the voice, for an agent's `voiceId` and `fallbackVoiceId`: `provider/name`.",
  examples: ["kokoro/af_heart"],
});

const sources = ["builtin", "provider", "custom"] as const;
const categories = ["standard", "cloned"] as const;

const voiceSchema = Type.Object(
  {
    id: voiceIdSchema,
    displayName: Type.String({ description: "Name for people.", examples: ["Heart"] }),
    language: Type.String({
      description: "Language or accent of the voice, as a BCP 47 tag.",
      examples: ["en-US"],
    }),
    languages: Type.Array(Type.String(), {
      description:
        "Languages that the voice speaks, each without a region: an agent's `language` must be one of them.",
      examples: [["en"]],
    }),
    source: Type.Enum([...sources], {
      description:
        "`builtin`: spoken by this server. `provider`: a voice of the speech provider that the operator has configured. " +
        "`custom`: created by the organization.",
    }),
    status: Type.Enum(["ready", "processing", "failed"], { description: "Only `ready` voices can speak." }),
    gender: nullableEnum(["female", "male", "neutral"], { description: "Null: unknown." }),
    category: Type.Enum([...categories], {
      description: "`cloned`: made from a recording of a person.",
    }),
    isDefault: Type.Boolean({ description: "Whether agents without a `voiceId` speak with it." }),
  },
  { title: "Voice", description: "A voice with which agents can speak." },
);

export type Voice = Static<typeof voiceSchema>;

const tag = "Voices, models and languages";
const params = Type.Object({ id: { ...voiceIdSchema, description: "Id of the voice, percent-encoded." } });

export const listVoicesRoute = defineRoute({
  method: "GET",
  path: "/voices",
  operationId: "listVoices",
  tag,
  summary: "List voices",
  description:
    "Returns all voices that agents can use, not paged: those of this server and those of the configured provider, whose list " +
    "is refreshed in the background. While the provider does not answer, its last list is returned.",
  query: closedObject({
    language: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        maxLength: 64,
        description:
          "Only voices that speak this language (BCP 47). With a region: only voices of that accent, and those of no accent.",
        examples: ["en"],
      }),
    ),
    category: Type.Optional(Type.Enum([...categories], { description: "Only voices of this category." })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: "Only voices whose display name contains this text. Case is ignored.",
      }),
    ),
  }),
  status: 200,
  response: Type.Object({ data: Type.Array(voiceSchema) }),
});

export const getVoiceRoute = defineRoute({
  method: "GET",
  path: "/voices/{id}",
  operationId: "getVoice",
  tag,
  summary: "Get a voice",
  params,
  status: 200,
  response: dataOf(voiceSchema),
});

export const previewVoiceRoute = defineRoute({
  method: "GET",
  path: "/voices/{id}/preview",
  operationId: "previewVoice",
  tag,
  summary: "Listen to a voice",
  description:
    "Returns a sample sentence as a WAV file (16 kHz, mono). `provider_unreachable`: the voice did not speak in time; while " +
    "calls need the processor, previews wait.",
  params,
  query: closedObject({
    language: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        maxLength: 64,
        description:
          "Language of the sentence (BCP 47), one of the voice's `languages`. Default: the voice's `language`.",
        examples: ["en"],
      }),
    ),
  }),
  status: 200,
  contentType: "audio/wav",
  response: Type.Unsafe<Uint8Array>({ type: "string", format: "binary" }),
  errors: ["provider_unreachable"],
  rateLimit: { requests: 30, windowSeconds: 60 },
});
