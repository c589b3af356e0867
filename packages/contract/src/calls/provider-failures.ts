import { type Static, Type } from "typebox";
import { nullable, timestampSchema } from "../schemas.ts";

/** Later ones of the same call or conversation are only logged and counted. */
export const MAX_RECORDED_PROVIDER_FAILURES = 100;

export const providerFailureSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the failure." }),
    at: { ...timestampSchema, description: "Time of the failure." },
    part: Type.Enum(["stt", "llm", "tts"], {
      description: "`stt`: speech recognition. `llm`: the language model. `tts`: the voice.",
    }),
    provider: Type.String({ description: "Provider that failed.", examples: ["deepgram/nova-3"] }),
    kind: Type.Enum(["connection", "timeout", "status"], {
      description:
        "`connection`: the connection could not be made or broke off. `timeout`: the provider did not answer in time. `status`: " +
        "it refused the request, for example because of its key, quota or a fault.",
    }),
    message: Type.String({ description: "The provider's message, or what was missed." }),
    takenOverBy: nullable(
      Type.String({
        description:
          "Provider that continued in the same turn. The same one: it was asked again. Null: none was left.",
        examples: ["local (kokoro/af_heart)"],
      }),
    ),
  },
  {
    title: "ProviderFailure",
    description: "A failure of a provider during a call or a conversation by text.",
  },
);

export type ProviderFailure = Static<typeof providerFailureSchema>;
