import { Card, Group, Progress, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Campaign, CampaignActivity } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { Figure } from "../../../ui/figure.tsx";
import { ButtonLink, TextLink } from "../../../ui/links.tsx";
import { Loaded, LoadingLines } from "../../../ui/loading.tsx";
import { ChartCard } from "../../overview/chart-card.tsx";
import { contactStatuses, describePace, isFinal, outcomes } from "../campaign-words.ts";
import { activityQuery, campaignQuery } from "../campaigns.queries.ts";
import { contactOutcomeNames, contactStatusNames } from "../campaigns.routes.ts";
import { describeInterval, describeWait } from "./progress.rules.ts";
import "../../overview/overview.css";

const route = getRouteApi("/shell/in/campaigns/$campaignId/");

/** Charts are a large library: the figures above them do not wait for it. */
const ActivityCharts = lazy(async () => ({
  default: (await import("./activity-charts.tsx")).ActivityCharts,
}));

/** How far a campaign is, what became of its contacts, and what comes next. */
export function ProgressTab() {
  const { campaignId } = route.useParams();
  const campaign = useQuery(campaignQuery(useParley(), campaignId));
  return <Loaded query={campaign}>{(loaded) => <CampaignProgress campaign={loaded} />}</Loaded>;
}

function CampaignProgress({ campaign }: { campaign: Campaign }) {
  const { data: activity } = useQuery(activityQuery(useParley(), campaign));
  if (campaign.progress.total === 0) return <NoContacts campaign={campaign} />;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <DoneFigure campaign={campaign} />
        <CallingFigure campaign={campaign} />
        <PaceFigure campaign={campaign} activity={activity} />
        <NextFigure campaign={campaign} />
      </SimpleGrid>
      {activity !== undefined && activity.intervals.length > 0 && (
        <Suspense fallback={<LoadingLines lines={8} />}>
          <ActivityCharts activity={activity} total={campaign.progress.total} />
        </Suspense>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Outcomes campaign={campaign} />
        <Statuses campaign={campaign} />
      </SimpleGrid>
    </Stack>
  );
}

function NoContacts({ campaign: { id } }: { campaign: Campaign }) {
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm" align="flex-start">
        <Text>The campaign has no contacts yet, and starts once it has some.</Text>
        <Allowed operation="addCampaignContacts">
          <ButtonLink to="/campaigns/$campaignId/add-contacts" params={{ campaignId: id }}>
            Add contacts
          </ButtonLink>
        </Allowed>
      </Stack>
    </Card>
  );
}

function DoneFigure({ campaign: { progress } }: { campaign: Campaign }) {
  const { done, total } = progress;
  const share = (100 * done) / total;
  return (
    <Figure
      label="Contacts done"
      value={`${Math.floor(share)} %`}
      note={
        <Stack gap={4}>
          <Progress value={share} aria-label="Contacts done" />
          {done.toLocaleString("en")} of {total.toLocaleString("en")}
        </Stack>
      }
    />
  );
}

function CallingFigure({ campaign: { progress, maxConcurrency } }: { campaign: Campaign }) {
  const calling = progress.contacts["calling"] ?? 0;
  return <Figure label="Calling now" value={calling} note={`${maxConcurrency} at once at most`} />;
}

function PaceFigure({ campaign, activity }: { campaign: Campaign; activity: CampaignActivity | undefined }) {
  const latest = activity?.intervals.at(-1);
  const ended = latest && Object.values(latest.attempts).reduce((sum, each) => sum + each, 0);
  const value =
    ended === undefined || isFinal(campaign)
      ? "–"
      : `${ended} / ${describeInterval(activity?.intervalSeconds ?? 60)}`;
  return <Figure label="Calls ended lately" value={value} note={describePace(campaign.callsPerSecond)} />;
}

function NextFigure({ campaign: { status, nextDialAt, startAt, progress } }: { campaign: Campaign }) {
  if (nextDialAt !== null)
    return (
      <Figure
        label="Next dial"
        value={describeWait(nextDialAt, Date.now())}
        note={formatDateTime(nextDialAt)}
      />
    );
  const note =
    status === "draft"
      ? startAt === null
        ? "The campaign is a draft. Start it."
        : `Starts ${formatDateTime(startAt)} at the earliest, once you start it.`
      : status === "paused"
        ? "The campaign is paused."
        : (progress.contacts["calling"] ?? 0) > 0
          ? "The last calls are in progress."
          : "Nobody is left to dial.";
  return <Figure label="Next dial" value="–" note={note} />;
}

/** What became of the contacts that are done. Each outcome leads to its contacts. */
function Outcomes({ campaign: { id, progress } }: { campaign: Campaign }) {
  const shown = contactOutcomeNames.filter((name) => (progress.outcomes[name] ?? 0) > 0);
  const most = Math.max(1, ...shown.map((name) => progress.outcomes[name] ?? 0));
  return (
    <ChartCard title="Outcomes">
      {shown.length === 0 ? (
        <Text c="dimmed">No contact is done yet.</Text>
      ) : (
        <ul className="bars">
          {shown.map((outcome) => (
            <li key={outcome}>
              <TextLink
                to="/campaigns/$campaignId/contacts"
                params={{ campaignId: id }}
                search={{ outcome }}
                size="sm"
              >
                {outcomes[outcome].label}
              </TextLink>
              <span className="bar-track" aria-hidden>
                <span style={{ width: `${(100 * (progress.outcomes[outcome] ?? 0)) / most}%` }} />
              </span>
              <Text size="sm" ta="right" className="figures">
                {(progress.outcomes[outcome] ?? 0).toLocaleString("en")}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </ChartCard>
  );
}

function Statuses({ campaign: { id, progress } }: { campaign: Campaign }) {
  return (
    <ChartCard title="Contacts by status">
      <Stack gap="xs">
        {contactStatusNames.map((status) => (
          <Group key={status} justify="space-between">
            <TextLink
              to="/campaigns/$campaignId/contacts"
              params={{ campaignId: id }}
              search={{ status }}
              size="sm"
            >
              {contactStatuses[status].label}
            </TextLink>
            <Text size="sm" className="figures">
              {(progress.contacts[status] ?? 0).toLocaleString("en")}
            </Text>
          </Group>
        ))}
      </Stack>
    </ChartCard>
  );
}
