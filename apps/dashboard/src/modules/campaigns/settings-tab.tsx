import { Button, Card, Group, Stack, Title } from "@mantine/core";
import type { Campaign } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Allowed, Editable } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { campaignQuery } from "./campaigns.queries.ts";
import { CampaignFacts } from "./form/campaign-facts.tsx";
import {
  type CampaignValues,
  findFaults,
  ownTimezone,
  toBody,
  valuesOf,
} from "./form/campaign-values.rules.ts";
import { LineFields } from "./form/line-fields.tsx";
import { PaceFields } from "./form/pace-fields.tsx";
import { ScheduleFields } from "./form/schedule-fields.tsx";

const route = getRouteApi("/shell/in/campaigns/$campaignId/settings");

/** The settings of a campaign: a form while it is a draft, then to be read. */
export function SettingsTab() {
  const { campaignId } = route.useParams();
  const campaign = useQuery(campaignQuery(useParley(), campaignId));
  return (
    <Loaded query={campaign}>
      {(loaded) =>
        loaded.status === "draft" ? (
          <DraftForm key={loaded.updatedAt} campaign={loaded} />
        ) : (
          <Card withBorder padding="lg">
            <CampaignFacts values={valuesOf(loaded, ownTimezone())} agentName={loaded.agentName} />
          </Card>
        )
      }
    </Loaded>
  );
}

function DraftForm({ campaign }: { campaign: Campaign }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<CampaignValues, Campaign>({
    initialValues: valuesOf(campaign, ownTimezone()),
    validate: findFaults,
    save: async (values) => await parley.updateCampaign(campaign.id, toBody(values)),
    onSaved: async ({ name }) => {
      form.resetDirty();
      toast.done(`${name} is saved.`);
      await queryClient.invalidateQueries({ queryKey: ["campaigns"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack gap="md" maw={760}>
        <Editable operation="updateCampaign" what="this campaign">
          <Stack gap="md">
            <Part title="Who calls">
              <LineFields form={form} />
            </Part>
            <Part title="When">
              <ScheduleFields form={form} />
            </Part>
            <Part title="Pace and retries">
              <PaceFields form={form} />
            </Part>
          </Stack>
        </Editable>
        {problem !== undefined && <Problem error={problem} />}
        <Allowed operation="updateCampaign">
          <Group justify="flex-end">
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
          </Group>
        </Allowed>
      </Stack>
    </form>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="md">
        {title}
      </Title>
      {children}
    </Card>
  );
}
