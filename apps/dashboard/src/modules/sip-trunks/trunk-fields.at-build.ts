import { createSipTrunkRoute } from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

const { properties } = createSipTrunkRoute.body;

/** Schemas of a trunk's fields, with descriptions and ranges. */
export const trunkFields = properties as unknown as Readonly<Record<keyof typeof properties, FieldSchema>>;
