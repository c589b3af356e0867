import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, nullable } from "../schemas.ts";
import { CONTACTS_BODY_LIMIT_BYTES, MAX_CONTACTS, MAX_CONTACTS_JSON_VALUES } from "./campaign-contacts.ts";

const checkSchema = closedObject(
  {
    contacts: Type.Array(
      closedObject({
        toNumber: Type.String({ maxLength: 64, examples: ["(415) 555-0199"] }),
        timezone: Type.Optional(nullable(Type.String({ maxLength: 64, examples: ["America/New_York"] }))),
      }),
      {
        maxItems: MAX_CONTACTS,
        description: `At most ${MAX_CONTACTS} contacts.`,
        examples: [[{ toNumber: "(415) 555-0199" }]],
      },
    ),
    defaultCountry: Type.Optional(
      nullable(
        Type.String({
          pattern: "^[A-Z]{2}$",
          description:
            "Country of numbers without a country code, as an ISO 3166 code. Absent: the first country that the organization " +
            "may call. Null: none, and such numbers are a problem.",
          examples: ["US"],
        }),
      ),
    ),
  },
  { title: "ContactCheck" },
);
export type ContactCheck = Static<typeof checkSchema>;

const checkedContactSchema = Type.Object(
  {
    toNumber: nullable(
      Type.String({
        description: "Phone number in E.164. Null: it cannot be one.",
        examples: ["+14155550199"],
      }),
    ),
    timezone: nullable(
      Type.String({
        description:
          "Time zone of the place to which the number belongs, a guess. Null: unknown, or the number belongs to several.",
        examples: ["America/Los_Angeles"],
      }),
    ),
    problem: nullable(
      Type.Object(
        { path: Type.Enum(["toNumber", "timezone"]), message: Type.String() },
        { description: "Field for which a campaign would refuse the contact, and the reason. Null: none." },
      ),
    ),
  },
  { title: "CheckedContact" },
);
export type CheckedContact = Static<typeof checkedContactSchema>;

const checkResultSchema = Type.Object(
  {
    defaultCountry: nullable(
      Type.String({
        description: "Country that was assumed for numbers without a country code. Null: none.",
      }),
    ),
    contacts: Type.Array(checkedContactSchema),
  },
  { title: "ContactCheckResult" },
);
export type ContactCheckResult = Static<typeof checkResultSchema>;

export const checkContactsRoute = defineRoute({
  method: "POST",
  path: "/contact-checks",
  operationId: "checkContacts",
  tag: "Campaigns",
  summary: "Check contacts without storing them",
  description:
    "Normalizes numbers, guesses time zones from them, and finds what a campaign would refuse. The results have the order of " +
    "the contacts. Contacts of a campaign are never given a guessed time zone unless it is sent with them.",
  body: checkSchema,
  status: 200,
  response: dataOf(checkResultSchema),
  bodyLimitBytes: CONTACTS_BODY_LIMIT_BYTES,
  maxJsonValues: MAX_CONTACTS_JSON_VALUES,
});
