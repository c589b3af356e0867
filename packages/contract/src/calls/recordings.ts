import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema, timestampSchema } from "../schemas.ts";

const callRecordingSchema = Type.Object(
  {
    callId: idSchema,
    url: Type.String({
      format: "uri",
      description:
        "Plays and downloads the recording without an API key, in parts too (Range), until it expires.",
    }),
    expiresAt: timestampSchema,
    contentType: Type.String({ examples: ["audio/ogg; codecs=opus"] }),
    sizeBytes: Type.Integer({ minimum: 0 }),
    durationMs: Type.Integer({ minimum: 0, description: "From the answer to the end." }),
  },
  { title: "CallRecording" },
);

export type CallRecording = Static<typeof callRecordingSchema>;

export const getCallRecordingRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}/recording",
  operationId: "getCallRecording",
  tag: "Calls",
  summary: "Get a link to the recording of a call",
  description:
    "Stereo Ogg Opus: the other side on the left, the agent on the right, both where they were in time; what was lost on the " +
    "network is concealed, and a hold is silence. Made within seconds of the call's end (`recordingStatus`); `not_found` before that.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  status: 200,
  response: dataOf(callRecordingSchema),
});
