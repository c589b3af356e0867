import { updateDoNotCallSettingsRoute } from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

const { properties } = updateDoNotCallSettingsRoute.body;

export const doNotCallSettingsFields = properties as unknown as Readonly<
  Record<keyof typeof properties, FieldSchema>
>;
