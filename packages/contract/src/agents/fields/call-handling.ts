import { Type } from "typebox";
import { group, list, required, value } from "../../field-table.ts";
import { nullable } from "../../schemas.ts";
import { textSchema, waitSecondsSchema, webUrlSchema } from "./texts.ts";

export const callEndingFields = {
  endCallEnabled: value(Type.Boolean({ description: "Whether the agent may hang up by itself." }), true),
  endCallRulesOverride: value(textSchema("When to hang up, in words; null: the built-in rules."), null),
  voicemailEnabled: value(
    Type.Boolean({ description: "Whether an answering machine is told from a person." }),
    false,
  ),
  voicemailAction: value(
    Type.Enum(["hangup", "leave_message"], { description: "What to do when a machine answers." }),
    "hangup",
  ),
  voicemailMessage: value(textSchema("What `leave_message` leaves."), null),
};

const transferRoutes = list(
  {
    to_number: required(
      Type.String({
        maxLength: 64,
        pattern: "^(\\+?[0-9*#][0-9 ().*#-]{1,31}|sips?:\\S+)$",
        description: "A number in E.164, an extension that the trunk knows, or a SIP address.",
        examples: ["+14155550123"],
      }),
    ),
    condition: required(
      Type.String({ minLength: 1, maxLength: 2_000, description: "When to take this route, in words." }),
    ),
    extension: value(
      nullable(
        Type.String({ pattern: "^[0-9*#,]{1,32}$", description: "Dialled after the answer; `,` waits." }),
      ),
      null,
    ),
    dialTimeoutSeconds: value(waitSecondsSchema("How long it may ring."), 30),
    waitForHumanSeconds: value(waitSecondsSchema("How long to wait for a person after the answer."), 30),
  },
  { maxItems: 50, description: "Where the agent may transfer to; nowhere else is dialled." },
);

export const transferFields = {
  transferEnabled: value(Type.Boolean({ description: "Whether the agent may transfer the caller." }), false),
  transferRoutes,
  transferDescriptionOverride: value(
    textSchema("When to transfer, in words; null: the built-in rules and the routes' conditions."),
    null,
  ),
  transferMode: value(
    Type.Enum(["cold", "warm"], {
      description: "`cold` hands the caller over; `warm` tells the person first whom they get.",
    }),
    "cold",
  ),
  warmTransferConfig: group({
    holdMessage: value(textSchema("Said to the caller before the wait."), null),
    holdMusicEnabled: value(Type.Boolean(), true),
    summaryPrompt: value(textSchema("How to sum the call up for the person."), null),
    introMessage: value(textSchema("Said to both once they are connected."), null),
    continueRecordingAfterTransfer: value(Type.Boolean(), false),
    callerIdMode: value(
      Type.Enum(["agent", "caller"], { description: "Whose number the person sees." }),
      "agent",
    ),
    dialTimeoutSeconds: value(waitSecondsSchema("How long it may ring."), 30),
    waitForHumanSeconds: value(waitSecondsSchema("How long to wait for a person after the answer."), 30),
  }),
};

export const keypadFields = {
  playKeypadTouchToneEnabled: value(
    Type.Boolean({ description: "Whether the agent may press keys." }),
    false,
  ),
  playKeypadTouchToneDescriptionOverride: value(
    textSchema("When to press keys, in words; null: the built-in rules."),
    null,
  ),
};

export const knowledgeBaseFields = {
  knowledgeBaseRetrievalMode: value(
    Type.Enum(["automatic", "tool", "off"], {
      description: "`automatic` searches for every turn, `tool` when the model asks.",
    }),
    "automatic",
  ),
  knowledgeBaseChunks: value(
    Type.Integer({ minimum: 1, maximum: 20, description: "How many passages a search gives." }),
    5,
  ),
  knowledgeBaseSimilarityThreshold: value(
    Type.Number({ minimum: 0, maximum: 1, description: "Passages that are less alike are left out." }),
    0.3,
  ),
};

export const recordingFields = {
  recordingEnabled: value(
    Type.Boolean({
      description:
        "Whether calls are recorded, from the answer on. Whether callers have to be told is for you to know.",
    }),
    true,
  ),
};

export const webhookFields = {
  preCallWebhookUrl: value(webUrlSchema("Asked before each call, which it may change or refuse."), null),
  postCallWebhookUrl: value(webUrlSchema("Told of each call after its end."), null),
};

const fieldNameSchema = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

export const analysisFields = {
  postCallExtraction: list(
    {
      name: required(fieldNameSchema),
      type: required(Type.Enum(["string", "number", "boolean", "enum", "date"])),
      description: required(
        Type.String({ minLength: 1, maxLength: 2_000, description: "What to look for, in words." }),
      ),
      options: value(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          maxItems: 100,
          description: "The values of an `enum`.",
        }),
        [],
      ),
      required: value(Type.Boolean(), false),
    },
    { maxItems: 50, description: "Fields that are filled from each conversation; names are unique." },
  ),
  postCallEvaluation: list(
    {
      name: required(fieldNameSchema),
      criterion: required(
        Type.String({ minLength: 1, maxLength: 2_000, description: "What makes a success, in words." }),
      ),
    },
    { maxItems: 50, description: "Criteria that each conversation is judged by; names are unique." },
  ),
};
