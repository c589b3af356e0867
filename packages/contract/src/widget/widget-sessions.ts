import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, timestampSchema } from "../schemas.ts";

const tag = "Widget";

/** Path parameters of all operations of widgets. */
export const widgetParams = Type.Object({
  widgetKey: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "The agent's `widgetKey`.",
    examples: ["wk_Zk3vQ0m8h2WJtq1nYpXb5cRd"],
  }),
});

/** Languages of the widget's own texts, such as its buttons. */
export const WIDGET_LANGUAGES = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "hi",
  "it",
  "ja",
  "nl",
  "pl",
  "pt",
  "zh",
] as const;

const settingsSchema = Type.Object(
  {
    agentName: Type.String({
      description: "`appearance.agentDisplayName`; the agent's name if that is null.",
    }),
    language: Type.String({
      description:
        "Language of the conversation, a BCP 47 tag. Unless the page chooses another one, the widget's own texts are in it too " +
        `(${WIDGET_LANGUAGES.join(", ")}; otherwise English).`,
      examples: ["en"],
    }),
    modes: Type.Object({
      chat: Type.Boolean({ description: "Whether visitors can write." }),
      voice: Type.Boolean({ description: "Whether visitors can call." }),
    }),
    continuity: Type.Object({
      resumeCalls: Type.Boolean({ description: "Whether an interrupted call can be resumed." }),
      sharedMemory: Type.Boolean({
        description: "Whether calls know what was written, and chats what was said.",
      }),
    }),
    appearance: Type.Object({
      position: Type.Enum(["bottom-right", "bottom-left"]),
      accentColor: Type.String({ pattern: "^#[0-9A-Fa-f]{6}$", examples: ["#2563eb"] }),
      theme: Type.Enum(["light", "dark", "auto"]),
      launcherLabel: nullable(Type.String()),
      avatarUrl: nullable(Type.String({ format: "uri" })),
      welcomeMessage: nullable(
        Type.String({
          description:
            "Text to show before the first message, with variables filled in. A chat that has begun has it as its first message.",
        }),
      ),
      chatPlaceholder: nullable(Type.String()),
    }),
    maxMessageCharacters: Type.Integer({ description: "Maximum length of a message." }),
  },
  {
    title: "WidgetSettings",
    description:
      "What a page may know of an agent. Prompts, tools, limits and environments are not part of it.",
  },
);

export type WidgetSettings = Static<typeof settingsSchema>;

export const getWidgetSettingsRoute = defineRoute({
  method: "GET",
  path: "/{widgetKey}",
  operationId: "getWidgetSettings",
  tag,
  isWidget: true,
  isPublic: true,
  summary: "Get the settings of a widget",
  description:
    "Needs no session. `not_found`: no agent has this key, its widget is switched off, or the agent is disabled. `forbidden`: " +
    "`allowedDomains` does not contain the page's host.",
  params: widgetParams,
  status: 200,
  response: dataOf(settingsSchema),
});

const sessionCreateSchema = closedObject(
  {
    sessionToken: Type.Optional(
      nullable(
        Type.String({
          maxLength: 1024,
          description:
            "Token of the visitor's previous session on this origin. Absent, null, expired, or of another origin or widget: a new visitor.",
        }),
      ),
    ),
    userToken: Type.Optional(
      nullable(
        Type.String({
          maxLength: 4096,
          description:
            "Signed user id: a JWT with `alg` `HS256` by the secret of `POST /agents/{id}/widget-secret`, with the claims `sub` (the " +
            "user's id, 1 to 255 characters) and `exp` (at most 1 hour ahead). A user has the same chat on every device. Absent or null: an anonymous visitor.",
        }),
      ),
    ),
  },
  { title: "WidgetSessionCreate" },
);

export type WidgetSessionCreation = Static<typeof sessionCreateSchema>;

const sessionSchema = Type.Object(
  {
    sessionToken: Type.String({
      description:
        "Credential of the other operations, in `Authorization: Bearer <token>`. Valid for this widget and this origin only. " +
        "Browsers may store it, so that a reload continues the chat.",
    }),
    expiresAt: {
      ...timestampSchema,
      description:
        "30 days ahead for anonymous visitors, 24 hours for users. Starting a session with the token before this time renews it.",
    },
    isIdentified: Type.Boolean({ description: "Whether the session is that of a signed user." }),
  },
  { title: "WidgetSession" },
);

export type WidgetSession = Static<typeof sessionSchema>;

export const startWidgetSessionRoute = defineRoute({
  method: "POST",
  path: "/{widgetKey}/sessions",
  operationId: "startWidgetSession",
  tag,
  isWidget: true,
  isPublic: true,
  summary: "Start or renew a visitor's session",
  description:
    "A `sessionToken` of a signed user continues only with a `userToken` of the same user; otherwise a new visitor begins. " +
    "An invalid `userToken` is refused with `unauthorized`. The chat of an anonymous visitor stays with them when they sign in.\n\n" +
    "Limit: 20 sessions at once per address, then one every 10 seconds.",
  params: widgetParams,
  body: sessionCreateSchema,
  status: 201,
  response: dataOf(sessionSchema),
});

const widgetCallCreateSchema = closedObject(
  {
    resumeCallId: Type.Optional(
      nullable({
        ...idSchema,
        description:
          "Id of a call of this visitor that was interrupted in the last 5 minutes. The new call continues its conversation. Needs " +
          "`continuity.resumeCalls`; otherwise, and for other calls, a new conversation begins.",
      }),
    ),
  },
  { title: "WidgetCallCreate" },
);

export type WidgetCallCreation = Static<typeof widgetCallCreateSchema>;

const widgetCallSchema = Type.Object(
  {
    callId: idSchema,
    url: Type.String({
      format: "uri",
      description: "WHIP endpoint (RFC 9725) for the browser's SDP offer, as for browser test calls.",
      examples: ["https://parley.example.com/rtc/calls/0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11"],
    }),
    token: Type.String({ description: "Bearer token for `url`. Valid for one join." }),
    isResumed: Type.Boolean({ description: "Whether the call continues the one in `resumeCallId`." }),
  },
  { title: "WidgetCall" },
);

export type WidgetCall = Static<typeof widgetCallSchema>;

export const startWidgetCallRoute = defineRoute({
  method: "POST",
  path: "/{widgetKey}/calls",
  operationId: "startWidgetCall",
  tag,
  isWidget: true,
  summary: "Start a visitor's call",
  description:
    "The browser joins it by WHIP, as described at `POST /agents/{id}/test-call`. Its live events contain the state, the " +
    "messages and the end, not tools and instructions. The visitor's chat stays open. With `continuity.sharedMemory` the " +
    "agent knows in the call what was written, and in later chats and calls what was said.\n\n" +
    "`forbidden`: the widget has no voice mode. Limit: 5 calls at once per address, then one every 30 seconds.",
  params: widgetParams,
  body: widgetCallCreateSchema,
  status: 201,
  response: dataOf(widgetCallSchema),
  errors: ["capacity_exceeded"],
});
