import { createMessagingConnectionRoute } from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

const { properties } = createMessagingConnectionRoute.body;

/** Schemas of a connection's fields, with descriptions and ranges. */
export const connectionFields = properties as unknown as Readonly<
  Record<keyof typeof properties, FieldSchema>
>;
