import { Type } from "typebox";
import { group, value } from "../../field-table.ts";
import { nullable, phoneNumberSchema, requestedEnvironmentSchema } from "../../schemas.ts";
import { promptSchema, textSchema, webUrlSchema } from "./texts.ts";

export const messagingFields = {
  messagingConfig: group({
    smsPrompt: value(promptSchema("Prompt for SMS. Null: `promptTemplate`."), null),
    inboundMode: value(
      Type.Enum(["auto_reply", "webhook", "off"], {
        description:
          "`auto_reply`: the agent answers. `webhook`: messages only go to `inboundWebhookUrl`. `off`: messages are only recorded. " +
          "`inboundWebhookUrl` gets each message in every mode.",
      }),
      "auto_reply",
    ),
    inboundWebhookUrl: value(
      webUrlSchema("URL of the `message.received` webhook. Required if `inboundMode` is `webhook`."),
      null,
    ),
    fromNumber: value(
      nullable({
        ...phoneNumberSchema,
        description:
          "Number that messages are sent from, and whose messages the agent answers. Stored in E.164. Two agents cannot have the " +
          "same number on one connection. Null: the agent's phone numbers; messages are sent from the first one.",
      }),
      null,
    ),
    sendMessageEnabled: value(
      Type.Boolean({
        description:
          "Whether the agent can send a message during a phone call, to the other side's number, with the tool `send_message`. " +
          "Needs `messagingConnectionId` and a number.",
      }),
      false,
    ),
    sendMessageDescriptionOverride: value(
      textSchema("Rules in plain language for sending a message. Null: the built-in rules."),
      null,
    ),
    conversationIdleResetDays: value(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        description: "Days without a message after which a new conversation begins.",
      }),
      7,
    ),
  }),
};

const shortTextSchema = nullable(Type.String({ maxLength: 200 }));

export const memoryFields = {
  phoneMemoryEnabled: value(
    Type.Boolean({
      description:
        "Whether the agent knows in phone calls and text messages with a number what was said in the earlier ones with it. " +
        "A caller's number can be forged, and the agent tells the caller what it remembers.",
    }),
    false,
  ),
};

export const widgetFields = {
  widgetConfig: group({
    enabled: value(
      Type.Boolean({ description: "Whether the widget works. Pages name it by the agent's `widgetKey`." }),
      false,
    ),
    modes: group({
      chat: value(Type.Boolean({ description: "Whether visitors can write." }), true),
      voice: value(Type.Boolean({ description: "Whether visitors can call." }), true),
    }),
    continuity: group({
      resumeCalls: value(
        Type.Boolean({
          description:
            "Whether a visitor's call that was interrupted in the last 5 minutes is continued by the next one.",
        }),
        false,
      ),
      sharedMemory: value(
        Type.Boolean({
          description:
            "Whether the agent knows in each chat and call of a visitor what was said in the earlier ones.",
        }),
        false,
      ),
    }),
    allowedDomains: value(
      Type.Array(
        Type.String({
          maxLength: 253,
          pattern: "^(\\*\\.)?[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?$",
          examples: ["shop.example"],
        }),
        {
          maxItems: 100,
          description:
            "Hosts whose pages can show the widget, with any port unless one is given. `*.` stands for all subdomains. Empty: all hosts.",
        },
      ),
      [],
    ),
    webchatPrompt: value(promptSchema("Prompt for chat. Null: `promptTemplate`."), null),
    appearance: group({
      position: value(Type.Enum(["bottom-right", "bottom-left"]), "bottom-right"),
      accentColor: value(Type.String({ pattern: "^#[0-9A-Fa-f]{6}$", examples: ["#2563eb"] }), "#2563eb"),
      theme: value(Type.Enum(["light", "dark", "auto"]), "light"),
      launcherLabel: value(shortTextSchema, null),
      agentDisplayName: value(shortTextSchema, null),
      avatarUrl: value(webUrlSchema("URL of the agent's picture."), null),
      welcomeMessage: value(textSchema("Text shown before the first message."), null),
      chatPlaceholder: value(shortTextSchema, null),
    }),
    limits: group({
      messagesPerDay: value(
        Type.Integer({
          minimum: 1,
          maximum: 100_000,
          description: "Maximum messages per visitor in 24 hours.",
        }),
        200,
      ),
    }),
    environment: value(
      requestedEnvironmentSchema(
        "Environment that the widget runs. Null, or an environment that was deleted later: `production`.",
      ),
      null,
    ),
  }),
};
