import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema, timestampSchema } from "../schemas.ts";

const callRecordingSchema = Type.Object(
  {
    callId: idSchema,
    url: Type.String({
      format: "uri",
      description: "Link to the recording. Needs no API key and supports range requests.",
    }),
    expiresAt: { ...timestampSchema, description: "Time when `url` expires." },
    contentType: Type.String({ examples: ["audio/ogg; codecs=opus"] }),
    sizeBytes: Type.Integer({ minimum: 0, description: "Size in bytes." }),
    durationMs: Type.Integer({
      minimum: 0,
      description: "Duration in milliseconds, from the answer to the end.",
    }),
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
    "The recording is stereo Ogg Opus with the other side on the left channel and the agent on the right. Lost packets are " +
    "concealed, and time on hold is silence. It is ready a few seconds after the end of the call (`recordingStatus`); until " +
    "then, and for a call without a recording, returns `not_found`.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  status: 200,
  response: dataOf(callRecordingSchema),
});
