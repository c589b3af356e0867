import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";
import "./figure.css";

interface FigureProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
}

/** A number that is read at a glance. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text className="figure">{value}</Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Card>
  );
}
