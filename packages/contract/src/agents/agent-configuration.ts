/** Table of an agent's fields with their schemas and defaults. */
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
import { memoryFields, messagingFields, widgetFields } from "./fields/channels.ts";
import { conversationFields } from "./fields/conversation.ts";
import { listeningFields, modelFields, voiceFields } from "./fields/model-and-voice.ts";
import { type ChangesOf, type CreationOf, required, value, type ValuesOf } from "../field-table.ts";
import { idSchema, nullable } from "../schemas.ts";

export const agentStatusSchema = Type.Enum(["active", "disabled"], {
  description: "A disabled agent answers no phone calls (SIP 480) and places none (`agent_not_callable`).",
});
export type AgentStatus = Static<typeof agentStatusSchema>;

export const agentFields = {
  name: required(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: "\\S",
      description: "Display name. Does not have to be unique.",
      examples: ["Front desk"],
    }),
  ),
  status: value(agentStatusSchema, "active"),
  folderId: value(nullable({ ...idSchema, description: "Folder of the agent. Null: none." }), null),
  sipTrunkId: value(
    nullable({
      ...idSchema,
      description: "SIP trunk of the agent's phone numbers and calls. Null: no phone calls.",
    }),
    null,
  ),
  messagingConnectionId: value(
    nullable({
      ...idSchema,
      description: "Messaging connection of the agent's messages. Null: no messages.",
    }),
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
  ...memoryFields,
  ...widgetFields,
  ...analysisFields,
};

/** All fields that the API sets on an agent. */
export type AgentConfiguration = ValuesOf<typeof agentFields>;

/** A change of an agent: an absent field is unchanged, null resets it to its default, typed objects merge by field. */
export type AgentChange = ChangesOf<typeof agentFields>;

/** A new agent: an absent field or null becomes the default. */
export type AgentCreation = CreationOf<typeof agentFields>;
