import { Type } from "typebox";
import { group, list, required, value } from "../../field-table.ts";
import { idSchema, nullable } from "../../schemas.ts";
import { textSchema, waitSecondsSchema, webUrlSchema } from "./texts.ts";

export const callEndingFields = {
  endCallEnabled: value(Type.Boolean({ description: "Whether the agent can end the call." }), true),
  endCallRulesOverride: value(
    textSchema("Rules in plain language for when the agent ends the call. Null: the built-in rules."),
    null,
  ),
  voicemailEnabled: value(
    Type.Boolean({
      description:
        "Whether outbound phone calls detect voicemail. The agent then says its first message only when it is known who answered: " +
        "after the person's first words, or after 2.3 seconds of silence.",
    }),
    false,
  ),
  voicemailAction: value(
    Type.Enum(["hangup", "leave_message"], {
      description:
        "Action on voicemail, after which the call ends with `voicemail`. `hangup`: ends the call in silence. `leave_message`: says " +
        "`voicemailMessage` after the beep, or after 1.5 seconds of silence following the greeting. A fax machine gets no message.",
    }),
    "hangup",
  ),
  voicemailMessage: value(
    textSchema(
      "Message for `leave_message`, which requires it. `{{name}}` is replaced by the value of the variable.",
    ),
    null,
  ),
};

const transferRoutes = list(
  {
    to_number: required(
      Type.String({
        maxLength: 300,
        pattern:
          "^(\\+[0-9][0-9 ().-]{5,30}|[0-9]{1,6}|[A-Za-z][A-Za-z0-9_.-]{0,62}|sips?:[^\\s@<>;?]{1,40}@[^\\s@<>;?]{1,255})$",
        description:
          "Phone number in E.164, extension of the trunk, or SIP URI whose host is the trunk's. What `POST /calls` may not call is not called.",
        examples: ["+14155550123"],
      }),
    ),
    condition: required(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: "Condition for this route, in plain language.",
      }),
    ),
    extension: value(
      nullable(
        Type.String({
          pattern: "^[0-9*#,]{1,32}$",
          description:
            "Keys pressed after the answer, before the two sides are connected. `,` is a pause of half a second.",
        }),
      ),
      null,
    ),
    dialTimeoutSeconds: value(
      waitSecondsSchema(
        "Maximum ringing time, in seconds. In warm transfers the shorter of this and that of `warmTransferConfig` applies.",
      ),
      30,
    ),
    waitForHumanSeconds: value(
      waitSecondsSchema(
        "Maximum time from the answer to a person's first word or key, in seconds. Only for warm transfers, in which the shorter of " +
          "this and that of `warmTransferConfig` applies.",
      ),
      30,
    ),
  },
  { maxItems: 50, description: "Destinations to which the agent can transfer a call." },
);

const warmTransferFields = {
  transferMode: value(
    Type.Enum(["cold", "warm"], {
      description:
        "`cold`: connects the caller directly. `warm`: keeps the caller on hold, tells the person what the call is about, and connects " +
        "both if the person takes the call.",
    }),
    "cold",
  ),
  warmTransferConfig: group({
    holdMessage: value(
      textSchema("Said to the caller before the wait. `{{name}}` is replaced by the value of the variable."),
      null,
    ),
    holdMusicEnabled: value(
      Type.Boolean({
        description: "Whether the caller hears music while waiting. Otherwise the caller hears silence.",
      }),
      true,
    ),
    summaryPrompt: value(
      textSchema(
        "Instructions for the language model that summarizes the call for the person. Null: the built-in ones. Without an answer in 5 " +
          "seconds the person hears the caller's last words.",
      ),
      null,
    ),
    introMessage: value(
      textSchema(
        "Said to both sides before they are connected. `{{name}}` is replaced by the value of the variable.",
      ),
      null,
    ),
    continueRecordingAfterTransfer: value(
      Type.Boolean({
        description:
          "Whether the recording, if there is one, goes on with what the two people say. Check whether the law requires their consent.",
      }),
      false,
    ),
    callerIdMode: value(
      Type.Enum(["agent", "caller"], {
        description:
          "Number shown to the person: the agent's, or the caller's if it is not withheld. Some carriers replace or reject numbers " +
          "that are not yours.",
      }),
      "agent",
    ),
    dialTimeoutSeconds: value(
      waitSecondsSchema("Maximum ringing time, in seconds. The shorter of this and the route's applies."),
      30,
    ),
    waitForHumanSeconds: value(
      waitSecondsSchema(
        "Maximum time from the answer to a person's first word or key, in seconds. The shorter of this and the route's applies.",
      ),
      30,
    ),
  }),
};

export const transferFields = {
  transferEnabled: value(
    Type.Boolean({
      description:
        "Whether the agent can transfer phone calls to one of `transferRoutes`. In browser calls transfers are simulated.",
    }),
    false,
  ),
  transferRoutes,
  transferDescriptionOverride: value(
    textSchema(
      "Rules in plain language for transfers. The routes with their conditions follow them. Null: the built-in rules.",
    ),
    null,
  ),
  ...warmTransferFields,
};

export const keypadFields = {
  playKeypadTouchToneEnabled: value(
    Type.Boolean({ description: "Whether the agent can send DTMF tones. Simulated in browser calls." }),
    false,
  ),
  playKeypadTouchToneDescriptionOverride: value(
    textSchema("Rules in plain language for sending DTMF tones. Null: the built-in rules."),
    null,
  ),
};

export const knowledgeBaseFields = {
  knowledgeBaseIds: value(
    Type.Array(idSchema, {
      maxItems: 20,
      description:
        "Knowledge bases from which the agent answers. Always live: a change applies to the next conversation, in manual mode too.",
    }),
    [],
  ),
  knowledgeBaseRetrievalMode: value(
    Type.Enum(["automatic", "tool", "off"], {
      description:
        "`automatic`: passages that fit are given to the language model before each reply; they are searched while the other side " +
        "still speaks. `tool`: the language model searches when it needs to. `off`: never. The transcript shows what was found.",
    }),
    "automatic",
  ),
  knowledgeBaseChunks: value(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: "Maximum number of passages per search.",
    }),
    5,
  ),
  knowledgeBaseSimilarityThreshold: value(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Minimum similarity of a passage: its `score`, from 0 to 1. Lower: more passages that may not fit.",
    }),
    0.3,
  ),
};

export const recordingFields = {
  recordingEnabled: value(
    Type.Boolean({
      description:
        "Whether calls are recorded from the answer on. Check whether the law requires you to inform callers.",
    }),
    true,
  ),
};

export const webhookFields = {
  preCallWebhookUrl: value(
    webUrlSchema(
      "URL, without credentials and variables, of the `call.pre` webhook, which can change or reject a call before it is answered or placed.",
    ),
    null,
  ),
  postCallWebhookUrl: value(
    webUrlSchema("URL, without credentials and variables, of the `call.post` webhook, sent after each call."),
    null,
  ),
};

const fieldNameSchema = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

export const analysisFields = {
  postCallExtraction: list(
    {
      name: required(fieldNameSchema),
      type: required(Type.Enum(["string", "number", "boolean", "enum", "date"])),
      description: required(
        Type.String({ minLength: 1, maxLength: 2_000, description: "What to extract, in plain language." }),
      ),
      options: value(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          maxItems: 100,
          description: "Allowed values. Required for type `enum`, ignored otherwise.",
        }),
        [],
      ),
      required: value(
        Type.Boolean({ description: "Whether the language model is asked once more if it finds no value." }),
        false,
      ),
    },
    {
      maxItems: 50,
      description: "Fields that a language model extracts from each call after its end. Names are unique.",
    },
  ),
  postCallEvaluation: list(
    {
      name: required(fieldNameSchema),
      criterion: required(
        Type.String({ minLength: 1, maxLength: 2_000, description: "Success criterion, in plain language." }),
      ),
    },
    {
      maxItems: 50,
      description: "Criteria by which a language model judges each call after its end. Names are unique.",
    },
  ),
};
