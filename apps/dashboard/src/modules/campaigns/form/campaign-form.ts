import type { UseFormReturnType } from "@mantine/form";
import type { CampaignValues } from "./campaign-values.rules.ts";

export interface CampaignFormProps {
  form: UseFormReturnType<CampaignValues>;
}
