import { Badge } from "@mantine/core";
import type { Agent } from "@parley/client";
import { TextLink } from "../../../ui/links.tsx";

/** Leads to what callers do not reach yet; absent if there is nothing. */
export function UnpublishedBadge({ agent }: { agent: Agent }) {
  if (!agent.hasUnpublishedChanges) return null;
  return (
    <TextLink to="/agents/$agentId/versions" params={{ agentId: agent.id }}>
      <Badge variant="dot" color="orange" className="unpublished">
        unpublished changes
      </Badge>
    </TextLink>
  );
}
