import { agentFields as table } from "@parley/contract";
import type { FieldDescription } from "../../ui/schema-field.rules.ts";

/** The table of an agent's fields: their schemas, descriptions, ranges and defaults. */
export const agentFields = table as unknown as Readonly<Record<keyof typeof table, FieldDescription>>;
