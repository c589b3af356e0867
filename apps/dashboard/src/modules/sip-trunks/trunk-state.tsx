import { Badge, Group, Stack, Text } from "@mantine/core";
import type { SipTrunk } from "@parley/client";
import { formatDateTime } from "../../ui/format.ts";

interface Word {
  label: string;
  color: string;
}

const states: Readonly<Record<SipTrunk["health"]["state"], Word>> = {
  up: { label: "answers", color: "house" },
  down: { label: "no answer", color: "red" },
  unknown: { label: "not asked yet", color: "gray" },
};

const registrations: Readonly<Record<SipTrunk["health"]["registration"]["state"], Word>> = {
  none: { label: "not registered", color: "gray" },
  registering: { label: "registering", color: "blue" },
  registered: { label: "registered", color: "house" },
  failed: { label: "registration failed", color: "red" },
};

/** Whether the trunk answers. A trunk without an address is never asked. */
export function TrunkBadge({ trunk }: { trunk: SipTrunk }) {
  const isInboundOnly = trunk.proxyAddress === null;
  const { label, color } = isInboundOnly
    ? { label: "inbound only", color: "gray" }
    : states[trunk.health.state];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

/** State of the registration; absent if the trunk does not register. */
export function RegistrationBadge({ trunk }: { trunk: SipTrunk }) {
  if (!trunk.isRegistrationRequired) return null;
  const { label, color } = registrations[trunk.health.registration.state];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

/** What the node observes about the trunk by itself, with reasons. */
export function TrunkState({ trunk }: { trunk: SipTrunk }) {
  const { health, isRegistrationRequired, proxyAddress } = trunk;
  return (
    <Stack gap="sm">
      <State
        badge={<TrunkBadge trunk={trunk} />}
        since={health.since}
        reason={
          proxyAddress === null
            ? "The trunk has no proxy address, so agents cannot place calls through it."
            : health.reason
        }
      />
      {isRegistrationRequired && (
        <State
          badge={<RegistrationBadge trunk={trunk} />}
          since={health.registration.since}
          reason={health.registration.reason}
        />
      )}
    </Stack>
  );
}

interface StateProps {
  badge: React.ReactNode;
  since: string | null;
  reason: string | null;
}

function State({ badge, since, reason }: StateProps) {
  return (
    <Group gap="sm">
      {badge}
      {reason !== null && <Text size="sm">{reason}</Text>}
      {since !== null && (
        <Text size="sm" c="dimmed">
          since {formatDateTime(since)}
        </Text>
      )}
    </Group>
  );
}
