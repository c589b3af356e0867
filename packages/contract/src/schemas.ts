/** Shapes that every resource shares: ids, timestamps, envelopes, pages. */
import { type Static, type TSchema, Type } from "typebox";

/** Allows null through `type` alone, not through a union, so that a validation error names one alternative only. */
export function nullable<T extends TSchema & { type: string }>(schema: T) {
  const { type, ...rest } = schema;
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, "null"] });
}

/** An enum that allows null. */
export function nullableEnum<const T extends string>(values: readonly T[], options: object = {}) {
  return Type.Unsafe<T | null>({ ...options, type: ["string", "null"], enum: [...values, null] });
}

export function closedObject<const T extends Record<string, TSchema>>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const idSchema = Type.String({ format: "uuid", examples: ["0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11"] });

export const timestampSchema = Type.String({
  format: "date-time",
  description: "Date and time in ISO 8601, UTC.",
  examples: ["2026-11-21T09:30:00.000Z"],
});

export const phoneNumberSchema = Type.String({
  minLength: 2,
  maxLength: 32,
  pattern: "^\\+[0-9 ().-]+$",
  description:
    "Phone number with its country code (`+…`). Spaces, dots, hyphens and parentheses are removed: stored in E.164.",
  examples: ["+14155550123"],
});

export const ENVIRONMENT_NAME_PATTERN = "^[a-z][a-z0-9-]{0,31}$";

export const environmentNameSchema = Type.String({
  pattern: ENVIRONMENT_NAME_PATTERN,
  examples: ["staging"],
});

/** Environment that a request names. Any text is valid, so that each unknown name returns `environment_not_found`. */
export function requestedEnvironmentSchema(description: string) {
  return nullable(
    Type.String({
      description: `${description} The name of no environment returns \`environment_not_found\`.`,
      examples: ["staging"],
    }),
  );
}

/** Value of a variable: any JSON scalar. */
export type VariableValue = string | number | boolean | null;

/** Values of the variables in templates, by name. */
export const variablesSchema = Type.Record(
  Type.String({ pattern: "^[A-Za-z0-9_.-]{1,64}$" }),
  Type.Unsafe<VariableValue>({ type: ["string", "number", "boolean", "null"], maxLength: 4000 }),
  {
    additionalProperties: false,
    description:
      "Variables by name: texts, numbers, booleans or null. They are kept as given, and replace `{{name}}` in prompts, messages " +
      "and tools as text. Null and a name without a value render empty.",
    examples: [{ customer_name: "Ada", visits: 3 }],
  },
);
/** Variables that Parley sets in each conversation, with their descriptions. */
export const builtInVariables = {
  call_id: "id of the call",
  from_number: "caller's number; empty if it is withheld, and in browser calls",
  to_number: "called number; empty in browser calls",
  direction: "`inbound` or `outbound`",
  current_time: "date and time at the start of the call, in the agent's `timezone`",
} as const;

export type Variables = Readonly<Static<typeof variablesSchema>>;

/** A read-only field, accepted in updates and ignored. */
export const ignored = Type.Optional(
  Type.Unknown({
    readOnly: true,
    description: "Read-only. Accepted so that a GET response can be sent back, and ignored.",
  }),
);

export const pageQuery = {
  page: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
    description: "Page number, starting at 1.",
  }),
  pageSize: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Items per page." }),
  sort: Type.Enum(["asc", "desc"], { default: "desc", description: "Order by creation time." }),
};

const pageQuerySchema = closedObject(pageQuery);
/** `page`, `pageSize` and `sort` of a list, defaults filled in. */
export type PageQuery = Static<typeof pageQuerySchema>;

export function dataOf<const T extends TSchema>(schema: T) {
  return Type.Object({ data: schema });
}

export function pageOf<const T extends TSchema>(schema: T) {
  return Type.Object({
    data: Type.Array(schema),
    page: Type.Integer({ description: "Page number, starting at 1." }),
    pageSize: Type.Integer({ description: "Maximum number of items per page." }),
    total: Type.Integer({ description: "Number of items on all pages." }),
    hasNextPage: Type.Boolean({ description: "Whether another page follows." }),
  });
}

/** Response that is sent while it is read, such as a file of a million rows. */
export const streamedResponse = Type.Unsafe<AsyncIterable<string>>({ type: "string", format: "binary" });

const deletedSchema = Type.Object({ id: idSchema, deleted: Type.Literal(true) }, { title: "Deleted" });
/** Response of a deletion. */
export const deletedResponse = dataOf(deletedSchema);
