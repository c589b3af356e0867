import { type Static, Type } from "typebox";
import { nullable } from "../schemas.ts";

const mosSchema = nullable(
  Type.Number({
    minimum: 1,
    maximum: 4.5,
    description:
      "Mean opinion score, estimated from delay and loss by the E-model (ITU-T G.107). Null: unknown.",
  }),
);

export const callQualitySchema = Type.Object(
  {
    codec: Type.Enum(["PCMU", "PCMA", "G722", "opus"]),
    srtpSuite: nullable(
      Type.String({
        description: "SRTP crypto suite. Null: the audio was not encrypted.",
        examples: ["AES_CM_128_HMAC_SHA1_80"],
      }),
    ),
    roundTripMs: nullable(
      Type.Number({
        minimum: 0,
        description: "Mean round-trip time in milliseconds. Null: the other side sent no RTCP reports.",
      }),
    ),
    received: Type.Object(
      {
        packets: Type.Integer({ minimum: 0, description: "Packets received." }),
        lost: Type.Integer({ minimum: 0, description: "Packets lost." }),
        late: Type.Integer({ minimum: 0, description: "Packets that arrived too late to be played." }),
        jitterMs: Type.Number({
          minimum: 0,
          description: "Mean interarrival jitter in milliseconds, as defined in RFC 3550 §6.4.1.",
        }),
        mos: mosSchema,
      },
      { description: "Audio received from the other side." },
    ),
    sent: Type.Object(
      {
        packets: Type.Integer({ minimum: 0, description: "Packets sent." }),
        lost: nullable(
          Type.Integer({ minimum: 0, description: "Packets lost, as reported by the other side." }),
        ),
        jitterMs: nullable(
          Type.Number({
            minimum: 0,
            description: "Mean interarrival jitter in milliseconds, as reported by the other side.",
          }),
        ),
        mos: mosSchema,
      },
      { description: "Audio sent to the other side. Null fields: the other side sent no RTCP reports." },
    ),
  },
  { title: "CallQuality", description: "Network quality of the call's audio." },
);

export type CallQuality = Static<typeof callQualitySchema>;
