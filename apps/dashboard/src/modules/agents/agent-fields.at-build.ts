import { agentFields as fields, customToolFields as toolFields, publishModeSchema } from "@parley/contract";
import type { FieldDescription } from "../../ui/field-table.rules.ts";

type Described<Table> = Readonly<Record<keyof Table, FieldDescription>>;

/** The table of an agent's fields: their schemas, descriptions, ranges and defaults. */
export const agentFields = {
  ...fields,
  publishMode: { schema: publishModeSchema, initial: "auto" },
} as unknown as Described<typeof fields & { publishMode: unknown }>;

export const customToolFields = toolFields as unknown as Described<typeof toolFields>;
