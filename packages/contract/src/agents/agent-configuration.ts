/** The one table of an agent's fields: what they may be, and what they are where nobody says. */
import { type Static, Type } from "typebox";
import {
  analysisFields,
  callEndingFields,
  keypadFields,
  knowledgeBaseFields,
  recordingFields,
  transferFields,
  webhookFields,
} from "./fields/call-handling.ts";
import { messagingFields, widgetFields } from "./fields/channels.ts";
import { conversationFields } from "./fields/conversation.ts";
import { listeningFields, modelFields, voiceFields } from "./fields/model-and-voice.ts";
import { type ChangesOf, type CreationOf, required, value, type ValuesOf } from "../field-table.ts";
import { idSchema, nullable } from "../schemas.ts";

export const agentStatusSchema = Type.Enum(["active", "disabled"], {
  description: "A disabled agent takes no calls (SIP 480).",
});
export type AgentStatus = Static<typeof agentStatusSchema>;

export const agentFields = {
  name: required(Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["Front desk"] })),
  status: value(agentStatusSchema, "active"),
  folderId: value(nullable({ ...idSchema, description: "The folder that the agent is in." }), null),
  sipTrunkId: value(
    nullable({ ...idSchema, description: "The trunk that carries the agent's phone calls." }),
    null,
  ),
  messagingConnectionId: value(
    nullable({ ...idSchema, description: "The connection that carries the agent's messages." }),
    null,
  ),
  ...conversationFields,
  ...modelFields,
  ...voiceFields,
  ...listeningFields,
  ...callEndingFields,
  ...transferFields,
  ...keypadFields,
  ...knowledgeBaseFields,
  ...recordingFields,
  ...webhookFields,
  ...messagingFields,
  ...widgetFields,
  ...analysisFields,
};

/** Everything that the API sets on an agent, every field present. */
export type AgentConfiguration = ValuesOf<typeof agentFields>;

/** A change of them: what is absent stays, null becomes the default, typed objects merge by field. */
export type AgentChange = ChangesOf<typeof agentFields>;

/** A new agent: what is absent or null becomes the default. */
export type AgentCreation = CreationOf<typeof agentFields>;
