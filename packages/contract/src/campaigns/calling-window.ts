import { type Static, Type } from "typebox";
import { closedObject } from "../schemas.ts";

const timeOfDay = (pattern: string, description: string, example: string) =>
  Type.String({ pattern, description, examples: [example] });

const windowFields = {
  start: timeOfDay("^([01][0-9]|2[0-3]):[0-5][0-9]$", "First minute of the window, as HH:MM.", "09:00"),
  end: timeOfDay(
    "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
    "End of the window, as HH:MM up to `24:00`; this minute no longer belongs to it. An end before `start` is on the next " +
      "day. Equal to `start`: refused.",
    "18:00",
  ),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      "IANA time zone of contacts without a `timezone` of their own. Default: the agent's `timezone`.",
    examples: ["Europe/Berlin"],
  }),
  days: Type.Array(Type.Integer({ minimum: 0, maximum: 7 }), {
    minItems: 1,
    maxItems: 8,
    description:
      "Weekdays: 1 to 6 are Monday to Saturday, 0 and 7 are Sunday. A window across midnight belongs to the day on which it " +
      "starts. Default: every day.",
    examples: [[1, 2, 3, 4, 5]],
  }),
};

const windowMeaning =
  "Local time in which contacts are dialed: the wall clock in the contact's own time zone, else in the window's, with " +
  "daylight saving time as in the IANA database. Null: at any time.";

export const callingWindowSchema = Type.Object(windowFields, {
  title: "CallingWindow",
  description: windowMeaning,
});
export type CallingWindow = Static<typeof callingWindowSchema>;

export const callingWindowInput = closedObject(
  {
    start: Type.Optional(windowFields.start),
    end: Type.Optional(windowFields.end),
    timezone: Type.Optional(windowFields.timezone),
    days: Type.Optional(windowFields.days),
  },
  {
    description: `${windowMeaning} A new window requires \`start\` and \`end\`; a change is merged by field.`,
    examples: [{ start: "09:00", end: "18:00", timezone: "Europe/Berlin", days: [1, 2, 3, 4, 5] }],
  },
);
