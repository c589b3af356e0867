import { Alert, Badge, Group, Stack, Text } from "@mantine/core";
import type { Campaign } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import CirclePause from "lucide-react/icons/circle-pause";
import { useParley } from "../../app/session/session.tsx";
import { TextLink } from "../../ui/links.tsx";
import { numberAgentsQuery } from "../phone-numbers/phone-numbers.queries.ts";
import { campaignStatuses, pauseReasons } from "./campaign-words.ts";

export function CampaignStatusBadge({ status }: Pick<Campaign, "status">) {
  const { label, color } = campaignStatuses[status];
  return (
    <Badge variant="light" color={color} miw="max-content">
      {label}
    </Badge>
  );
}

/** Why a campaign has stopped itself, and the way to what has to be mended. Nothing if somebody has paused it. */
export function PauseNotice({ campaign }: { campaign: Campaign }) {
  const { status, statusReason, statusDetail } = campaign;
  if (status !== "paused" || statusReason === null || statusReason === "requested") return null;
  const { title, advice } = pauseReasons[statusReason];
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mb="md"
      icon={<CirclePause size={18} aria-hidden />}
      title={`The campaign has paused itself: ${lowerFirst(title)}`}
    >
      <Stack gap="xs" align="flex-start">
        {statusDetail !== null && <Text size="sm">{statusDetail}</Text>}
        <Text size="sm">{advice}</Text>
        <Group gap="md">
          <Causes campaign={campaign} />
        </Group>
      </Stack>
    </Alert>
  );
}

function lowerFirst(text: string): string {
  return `${text[0]?.toLowerCase() ?? ""}${text.slice(1)}`;
}

/** Links to what can be the cause. */
function Causes({ campaign: { agentId, statusReason } }: { campaign: Campaign }) {
  const { data: agents } = useQuery(numberAgentsQuery(useParley()));
  const trunkId = agents?.get(agentId)?.sipTrunkId;
  if (statusReason === "billing_inactive" || statusReason === "agent_not_found") return null;
  if (statusReason === "from_number_not_on_trunk")
    return (
      <TextLink to="/phone-numbers" size="sm">
        Open the phone numbers
      </TextLink>
    );
  if (statusReason === "environment_not_found")
    return (
      <TextLink to="/agents/$agentId/environments" params={{ agentId }} size="sm">
        Open the agent’s environments
      </TextLink>
    );
  return (
    <>
      {typeof trunkId === "string" && (
        <TextLink to="/sip-trunks/$trunkId" params={{ trunkId }} size="sm">
          Check the trunk
        </TextLink>
      )}
      <TextLink to="/agents/$agentId" params={{ agentId }} size="sm">
        Open the agent
      </TextLink>
    </>
  );
}
