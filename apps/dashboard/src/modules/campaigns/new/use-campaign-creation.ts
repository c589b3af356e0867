import type { UseFormReturnType } from "@mantine/form";
import type { Campaign, CampaignContactInput, Parley } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { type CampaignValues, findFaults, toBody } from "../form/campaign-values.rules.ts";
import { slicesOf } from "../import/checked-contacts.rules.ts";
import { MAX_CONTACTS } from "../import/use-contact-import.ts";

interface CreationOptions {
  initialValues: CampaignValues;
  contacts: readonly CampaignContactInput[];
  /** Called with the path of the first faulty field. */
  onFaults: (path: string) => void;
}

export interface CampaignCreation {
  form: UseFormReturnType<CampaignValues>;
  isSaving: boolean;
  problem: Error | undefined;
  /** Whether the campaign is created, also before the page is rendered again. */
  isSaved: () => boolean;
  create: (options: { start: boolean }) => void;
}

export function useCampaignCreation({
  initialValues,
  contacts,
  onFaults,
}: CreationOptions): CampaignCreation {
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const isStarted = useRef(false);
  const isSaved = useRef(false);
  const { form, saving, submit, problem } = useApiForm<CampaignValues, Campaign>({
    initialValues,
    validate: findFaults,
    save: async (values) => await createCampaign(parley, values, { contacts, start: isStarted.current }),
    onSaved: async (campaign) => {
      isSaved.current = true;
      await queryClient.invalidateQueries({ queryKey: ["campaigns", "list"] });
      await navigate({ to: "/campaigns/$campaignId", params: { campaignId: campaign.id } });
    },
    onFaults: ([path]) => {
      if (path !== undefined) onFaults(path);
    },
  });
  return {
    form,
    isSaving: saving.isPending,
    problem,
    isSaved: () => isSaved.current,
    create: ({ start }) => {
      isStarted.current = start;
      submit();
    },
  };
}

interface Creation {
  contacts: readonly CampaignContactInput[];
  start: boolean;
}

/** One request creates the campaign. More contacts than it may have follow in others, and then the start. */
async function createCampaign(
  parley: Parley,
  values: CampaignValues,
  { contacts, start }: Creation,
): Promise<Campaign> {
  const [first = [], ...rest] = slicesOf(contacts, MAX_CONTACTS);
  const isWhole = rest.length === 0;
  const created = await parley.createCampaign({
    ...toBody(values),
    contacts: first,
    start: start && isWhole,
  });
  if (isWhole) return created;
  try {
    for (const slice of rest) await parley.addCampaignContacts(created.id, { contacts: slice });
    if (start) return await parley.startCampaign(created.id);
  } catch (error) {
    // It exists now, and shows which contacts it has.
    toast.failed(error);
  }
  return created;
}
