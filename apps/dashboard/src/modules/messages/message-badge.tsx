import { Badge } from "@mantine/core";
import type { Message } from "@parley/client";

const colors = {
  queued: "gray",
  sent: "gray",
  delivered: "house",
  failed: "red",
  received: "house",
} as const;

/** How far a message has come. */
export function MessageBadge({ message: { status } }: { message: Message }) {
  return (
    <Badge variant="light" color={colors[status]}>
      {status}
    </Badge>
  );
}
