import { Type } from "typebox";
import { group, notAvailableYet, value } from "../../field-table.ts";
import { nullable, phoneNumberSchema, requestedEnvironmentSchema } from "../../schemas.ts";
import { promptSchema, textSchema, webUrlSchema } from "./texts.ts";

export const messagingFields = {
  messagingConfig: group({
    ...notAvailableYet({
      smsPrompt: value(promptSchema("Prompt for SMS. Null: `promptTemplate`."), null),
      inboundMode: value(
        Type.Enum(["auto_reply", "webhook", "off"], {
          description:
            "`auto_reply`: the agent answers. `webhook`: messages go to `inboundWebhookUrl`. `off`: messages are only recorded.",
        }),
        "auto_reply",
      ),
      inboundWebhookUrl: value(webUrlSchema("URL of the `message.received` webhook."), null),
    }),
    fromNumber: value(
      nullable({
        ...phoneNumberSchema,
        description:
          "Number that messages are sent from. Stored in E.164. Two agents cannot have the same number on one connection. Null: the " +
          "agent's first phone number.",
      }),
      null,
    ),
    ...notAvailableYet({
      sendMessageEnabled: value(
        Type.Boolean({
          description: "Whether the agent can send a message during a call.",
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
  }),
};

const shortTextSchema = nullable(Type.String({ maxLength: 200 }));

export const widgetFields = notAvailableYet({
  widgetConfig: group({
    enabled: value(Type.Boolean({ description: "Whether the widget works." }), false),
    modes: group({ chat: value(Type.Boolean(), true), voice: value(Type.Boolean(), true) }),
    continuity: group({
      resumeCalls: value(Type.Boolean({ description: "Whether an interrupted call can be resumed." }), false),
      sharedMemory: value(
        Type.Boolean({ description: "Whether chat and calls of a visitor share one conversation memory." }),
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
        { maxItems: 100, description: "Hosts whose pages can show the widget. Empty: all hosts." },
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
        Type.Integer({ minimum: 1, maximum: 100_000, description: "Maximum messages per visitor and day." }),
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
});
