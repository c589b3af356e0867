import { createCampaignRoute } from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

type Schemas = Readonly<Record<string, FieldSchema>>;

const { properties } = createCampaignRoute.body;

/** Schemas of a campaign's fields, with descriptions and ranges. */
export const campaignFields = properties as unknown as Schemas;
export const retryFields = (properties.retryPolicy as unknown as { properties: Schemas }).properties;
