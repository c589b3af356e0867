import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, ignored, nullable, nullableEnum } from "../schemas.ts";

const voiceIdSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    "Id of the voice, for an agent's `voiceId` and `fallbackVoiceId`: `provider/name`, or a UUID if the organization created it.",
  examples: ["kokoro/af_heart"],
});

const sources = ["builtin", "provider", "custom"] as const;
const categories = ["standard", "cloned"] as const;

const voiceFields = {
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
  status: Type.Enum(["ready", "processing", "failed"], {
    description: "`processing`: the provider is cloning it. Only `ready` voices can speak.",
  }),
  statusReason: nullable(Type.String({ description: "Why the status is `failed`. Null otherwise." })),
  gender: nullableEnum(["female", "male", "neutral"], { description: "Null: unknown." }),
  category: Type.Enum([...categories], {
    description: "`cloned`: made from a recording of a person.",
  }),
  isDefault: Type.Boolean({ description: "Whether agents without a `voiceId` speak with it." }),
  isApproximation: Type.Boolean({
    description:
      "True: no clone. The local voice whose pitch is nearest speaks with the pitch and the pace of the recording; timbre and " +
      "accent are its own. Such a voice is created if no configured provider clones voices.",
  }),
  warnings: Type.Array(Type.String(), {
    description: "What may lower the quality of a custom voice, such as noise in its recording.",
  }),
};

const voiceSchema = Type.Object(voiceFields, {
  title: "Voice",
  description: "A voice with which agents can speak.",
});

const createdVoiceSchema = Type.Object(
  {
    ...voiceFields,
    tier: Type.Enum(["standard", "premium"], { description: "Custom voices are `standard`." }),
  },
  { title: "CreatedVoice", description: "A voice that was created." },
);

export const MAX_VOICE_SAMPLE_BYTES = 20 * 1024 * 1024;
const VOICE_BODY_LIMIT_BYTES = 21 * 1024 * 1024;

const displayNameSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description: "Name for people.",
  examples: ["Ada"],
});

export type CreatedVoice = Static<typeof createdVoiceSchema>;

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
    "Returns all voices that agents can use, not paged: those that the organization created, those of this server and those of the " +
    "configured provider, whose list is refreshed in the background. While the provider does not answer, its last list is returned.",
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

export const createVoiceRoute = defineRoute({
  method: "POST",
  path: "/voices",
  operationId: "createVoice",
  tag,
  summary: "Create a voice from a recording",
  description:
    "Creates a voice from a recording of one speaker. The recording is a WAV (PCM, float, A-law or µ-law), MP3, FLAC, Ogg (Opus " +
    "or Vorbis) or WebM Opus file of 8 to 40 seconds; other formats are converted first, as the dashboard does. It must contain speech that is " +
    "neither clipped nor drowned in noise: `invalid_body` says what is wrong and how to record it better. It is stored as mono WAV " +
    "with the speech at −20 dBFS.\n\n" +
    "If a provider that clones voices is configured (ElevenLabs, Cartesia), it clones the voice, and the status is `processing` until then; " +
    "with a key of the organization's own, in its account there. " +
    "Otherwise the voice is an approximation by a local voice (`isApproximation`). `limit_reached`: the organization's limit " +
    "`voices` is reached.",
  body: closedObject(
    {
      displayName: displayNameSchema,
      language: Type.Optional(
        Type.String({
          pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
          maxLength: 64,
          description: "Language of the recording (BCP 47). Default: `en`.",
          examples: ["en"],
        }),
      ),
      consent: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          pattern: "\\S",
          description:
            "The speaker's consent, in words. It is kept in the audit log. Cloning a person's voice without it is illegal in many countries.",
          examples: ["Ada Smith agreed in writing on 23 November 2026 that her voice is cloned."],
        }),
      ),
    },
    { title: "VoiceCreation" },
  ),
  file: {
    part: "voice",
    maxBytes: MAX_VOICE_SAMPLE_BYTES,
    description: "Recording of one speaker, 8 to 40 seconds, at most 20 MiB.",
  },
  status: 201,
  response: dataOf(createdVoiceSchema),
  errors: ["limit_reached", "capacity_exceeded"],
  bodyLimitBytes: VOICE_BODY_LIMIT_BYTES,
  rateLimit: { requests: 20, windowSeconds: 60 },
});

export const updateVoiceRoute = defineRoute({
  method: "PATCH",
  path: "/voices/{id}",
  operationId: "updateVoice",
  tag,
  summary: "Rename a voice",
  description: "Renames a voice that the organization created. Other voices return `not_found`.",
  params,
  body: closedObject(
    {
      displayName: Type.Optional(displayNameSchema),
      ...Object.fromEntries(
        Object.keys(voiceFields)
          .filter((name) => name !== "displayName")
          .map((name) => [name, ignored]),
      ),
    },
    { title: "VoiceUpdate" },
  ),
  status: 200,
  response: dataOf(voiceSchema),
});

export const deleteVoiceRoute = defineRoute({
  method: "DELETE",
  path: "/voices/{id}",
  operationId: "deleteVoice",
  tag,
  summary: "Delete a voice",
  description:
    "Deletes a voice that the organization created, its recording and the provider's copy. Agents that use it speak with their " +
    "`fallbackVoiceId`, or with the default voice. Other voices return `not_found`.",
  params,
  status: 200,
  response: dataOf(
    Type.Object({ id: voiceIdSchema, deleted: Type.Literal(true) }, { title: "DeletedVoice" }),
  ),
});
