import { Card, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface ChartCardProps {
  title: string;
  note?: string;
  children: ReactNode;
}

export function ChartCard({ title, note, children }: ChartCardProps) {
  return (
    <Card withBorder padding="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h5">
          {title}
        </Title>
        {note !== undefined && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Group>
      {children}
    </Card>
  );
}
