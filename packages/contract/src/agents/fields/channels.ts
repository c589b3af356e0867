import { Type } from "typebox";
import { group, value } from "../../field-table.ts";
import { environmentNameSchema, nullable, phoneNumberSchema } from "../../schemas.ts";
import { promptSchema, textSchema, webUrlSchema } from "./texts.ts";

export const messagingFields = {
  messagingConfig: group({
    smsPrompt: value(promptSchema("The instructions for SMS; null: `promptTemplate`."), null),
    inboundMode: value(
      Type.Enum(["auto_reply", "webhook", "off"], {
        description: "`auto_reply` answers, `webhook` passes messages on, `off` only records them.",
      }),
      "auto_reply",
    ),
    inboundWebhookUrl: value(webUrlSchema("Told of each message received."), null),
    fromNumber: value(nullable(phoneNumberSchema), null),
    sendMessageEnabled: value(
      Type.Boolean({ description: "Whether the agent may send a message during a call." }),
      false,
    ),
    sendMessageDescriptionOverride: value(
      textSchema("When to send one, in words; null: the built-in rules."),
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

export const widgetFields = {
  widgetConfig: group({
    enabled: value(Type.Boolean(), false),
    modes: group({ chat: value(Type.Boolean(), true), voice: value(Type.Boolean(), true) }),
    continuity: group({
      resumeCalls: value(
        Type.Boolean({ description: "Whether a call that broke off goes on where it was." }),
        false,
      ),
      sharedMemory: value(
        Type.Boolean({ description: "Whether chat and calls of a visitor know of each other." }),
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
        { maxItems: 100, description: "Hosts whose pages may show the widget; empty: all." },
      ),
      [],
    ),
    webchatPrompt: value(promptSchema("The instructions for chat; null: `promptTemplate`."), null),
    appearance: group({
      position: value(Type.Enum(["bottom-right", "bottom-left"]), "bottom-right"),
      accentColor: value(Type.String({ pattern: "^#[0-9A-Fa-f]{6}$", examples: ["#2563eb"] }), "#2563eb"),
      theme: value(Type.Enum(["light", "dark", "auto"]), "light"),
      launcherLabel: value(shortTextSchema, null),
      agentDisplayName: value(shortTextSchema, null),
      avatarUrl: value(webUrlSchema("A picture of the agent."), null),
      welcomeMessage: value(textSchema("Shown before the first message."), null),
      chatPlaceholder: value(shortTextSchema, null),
    }),
    limits: group({
      messagesPerDay: value(
        Type.Integer({ minimum: 1, maximum: 100_000, description: "Of one visitor." }),
        200,
      ),
    }),
    environment: value(
      nullable({
        ...environmentNameSchema,
        description: "The environment that the widget runs; null, or one that is gone: production.",
      }),
      null,
    ),
  }),
};
