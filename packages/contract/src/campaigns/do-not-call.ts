import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  phoneNumberSchema,
  streamedResponse,
  timestampSchema,
} from "../schemas.ts";
import { CONTACTS_BODY_LIMIT_BYTES, MAX_CONTACTS } from "./campaign-contacts.ts";

const sources = ["api", "import", "agent"] as const;
export type DoNotCallSource = (typeof sources)[number];

const entrySchema = Type.Object(
  {
    id: idSchema,
    phoneNumber: Type.String({ description: "Phone number in E.164.", examples: ["+14155550199"] }),
    source: Type.Enum([...sources], {
      description:
        "`api`: added by this API. `import`: from a CSV file. `agent`: by an agent in a call, on request.",
    }),
    createdAt: timestampSchema,
  },
  { title: "DoNotCallEntry", description: "A phone number that the organization does not call." },
);
export type DoNotCallEntry = Static<typeof entrySchema>;

const settingsFields = {
  maxDialsPerDay: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        "Dials of all campaigns together to one number on one day, in the contact's time zone. Further ones wait for the next " +
        "day. Null: no such limit.",
      examples: [2],
    }),
  ),
};

const settingsSchema = Type.Object(settingsFields, { title: "DoNotCallSettings" });
export type DoNotCallSettings = Static<typeof settingsSchema>;

const settingsUpdateSchema = closedObject(
  {
    maxDialsPerDay: Type.Optional(settingsFields.maxDialsPerDay),
  },
  {
    title: "DoNotCallSettingsUpdate",
    description: "Absent fields stay; null resets a field to its default.",
  },
);
export type DoNotCallSettingsChange = Static<typeof settingsUpdateSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the entry." } });
const tag = "Do not call";

export const addDoNotCallRoute = defineRoute({
  method: "POST",
  path: "/do-not-call",
  operationId: "addDoNotCall",
  tag,
  summary: "Add a number to the do-not-call list",
  description:
    "From now on no campaign dials the number, and `POST /calls` refuses it. Returns the existing entry if there is one.",
  body: closedObject(
    { phoneNumber: phoneNumberSchema, id: ignored, source: ignored, createdAt: ignored },
    { title: "DoNotCallAdd" },
  ),
  status: 201,
  response: dataOf(entrySchema),
  errors: ["limit_reached"],
});

export const listDoNotCallRoute = defineRoute({
  method: "GET",
  path: "/do-not-call",
  operationId: "listDoNotCall",
  tag,
  summary: "List the numbers that are not called",
  query: closedObject({
    ...pageQuery,
    phoneNumber: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Exact match, normalized as in an entry.",
        examples: ["+14155550199"],
      }),
    ),
  }),
  status: 200,
  response: pageOf(entrySchema),
});

export const getDoNotCallRoute = defineRoute({
  method: "GET",
  path: "/do-not-call/{id}",
  operationId: "getDoNotCall",
  tag,
  summary: "Get an entry of the do-not-call list",
  params,
  status: 200,
  response: dataOf(entrySchema),
});

export const deleteDoNotCallRoute = defineRoute({
  method: "DELETE",
  path: "/do-not-call/{id}",
  operationId: "deleteDoNotCall",
  tag,
  summary: "Remove a number from the do-not-call list",
  params,
  status: 200,
  response: deletedResponse,
});

export const importDoNotCallRoute = defineRoute({
  method: "POST",
  path: "/do-not-call-imports",
  operationId: "importDoNotCall",
  tag,
  summary: "Add the numbers of a CSV file to the do-not-call list",
  description: `Adds all numbers or none, at most ${MAX_CONTACTS}. An error names the first 100 bad lines, counted from 1.`,
  body: closedObject(
    {
      csv: Type.String({
        minLength: 1,
        description:
          "The file's text. The number is in the column `phoneNumber` if the first line names one, else in the first column.",
        examples: ["phoneNumber\n+14155550199\n"],
      }),
    },
    { title: "DoNotCallImport" },
  ),
  status: 200,
  response: dataOf(
    Type.Object(
      {
        numbersAdded: Type.Integer({ minimum: 0, description: "Numbers that are new on the list." }),
        duplicatesSkipped: Type.Integer({ minimum: 0, description: "Numbers that were on it before." }),
      },
      { title: "DoNotCallImported" },
    ),
  ),
  bodyLimitBytes: CONTACTS_BODY_LIMIT_BYTES,
  errors: ["limit_reached"],
});

export const exportDoNotCallRoute = defineRoute({
  method: "GET",
  path: "/do-not-call.csv",
  operationId: "exportDoNotCall",
  tag,
  summary: "Export the do-not-call list as CSV",
  description: "One row per number in the order of their addition. The file can be imported again.",
  status: 200,
  contentType: "text/csv; charset=utf-8",
  response: streamedResponse,
});

export const getDoNotCallSettingsRoute = defineRoute({
  method: "GET",
  path: "/do-not-call-settings",
  operationId: "getDoNotCallSettings",
  tag,
  summary: "Get the settings about numbers that are not called",
  status: 200,
  response: dataOf(settingsSchema),
});

export const updateDoNotCallSettingsRoute = defineRoute({
  method: "PATCH",
  path: "/do-not-call-settings",
  operationId: "updateDoNotCallSettings",
  tag,
  role: "admin",
  summary: "Change the settings about numbers that are not called",
  body: settingsUpdateSchema,
  status: 200,
  response: dataOf(settingsSchema),
});
