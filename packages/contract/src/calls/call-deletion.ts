/** Deletion of calls and of their parts. */
import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { deletedResponse, idSchema } from "../schemas.ts";

const params = Type.Object({ id: { ...idSchema, description: "Id of the call." } });

const common =
  "An active call returns `call_not_ended`: hang it up first. Files at object storages and on other nodes are removed within " +
  "seconds, or once they can be reached. Webhooks already sent, and backups, are not affected.";

export const deleteCallRoute = defineRoute({
  method: "DELETE",
  path: "/calls/{id}",
  operationId: "deleteCall",
  tag: "Calls",
  summary: "Delete a call",
  description:
    "Deletes the call's record with its conversation, transcript, results, recording, SIP trace, turn log and webhook " +
    `deliveries. A webhook that is still due is not sent. The call no longer counts in analytics. ${common}`,
  params,
  status: 200,
  response: deletedResponse,
  errors: ["call_not_ended"],
});

export const deleteCallRecordingRoute = defineRoute({
  method: "DELETE",
  path: "/calls/{id}/recording",
  operationId: "deleteCallRecording",
  tag: "Calls",
  summary: "Delete the recording of a call",
  description:
    "Also deletes a recording that is not ready yet. Links to it stop working, `recordingStatus` becomes `deleted`, and " +
    "`recordingUrl` in stored webhook bodies null. Succeeds if there is no recording. " +
    common,
  params,
  status: 200,
  response: deletedResponse,
  errors: ["call_not_ended"],
});

export const deleteCallTranscriptRoute = defineRoute({
  method: "DELETE",
  path: "/calls/{id}/transcript",
  operationId: "deleteCallTranscript",
  tag: "Calls",
  summary: "Delete the transcript of a call",
  description:
    "Deletes the transcript's items and the texts derived from them: extraction, evaluation, the turn log, and their copies in " +
    "stored webhook bodies and in receivers' answers to `call.post`. `analysisStatus` becomes `deleted`, and a pending analysis " +
    "does not run. The recording and the turns' latency are kept. Succeeds if the transcript was deleted before. " +
    common,
  params,
  status: 200,
  response: deletedResponse,
  errors: ["call_not_ended"],
});
