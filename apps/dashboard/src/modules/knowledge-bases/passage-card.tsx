import { Badge, Card, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface PassageCardProps {
  /** Where it is from. */
  source: ReactNode;
  text: string;
  badge?: string | undefined;
}

/** A passage with its source. */
export function PassageCard({ source, text, badge }: PassageCardProps) {
  return (
    <Card component="li" withBorder padding="md">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb={4}>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {source}
        </Text>
        {badge !== undefined && (
          <Badge variant="light" color="gray" style={{ flexShrink: 0 }}>
            {badge}
          </Badge>
        )}
      </Group>
      <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Text>
    </Card>
  );
}
