import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import "./page-header.css";
import { useTitle } from "./use-title.ts";

interface PageHeaderProps {
  title: string;
  /** Beside the title, such as a badge. */
  beside?: ReactNode;
  /** One sentence about what the page shows. */
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}

let hasShownPage = false;

/** Heading of a page. Takes the focus when the page is opened by a link, so that keyboard and screen reader follow. */
export function PageHeader({ title, beside, description, actions }: PageHeaderProps) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The browser itself places the focus on the first page.
    if (hasShownPage) heading.current?.focus({ preventScroll: true });
    hasShownPage = true;
  }, []);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={4}>
        <Group gap="sm">
          <Title ref={heading} order={1} size="h2" tabIndex={-1} className="page-title">
            {title}
          </Title>
          {beside}
        </Group>
        {description !== undefined && <Text c="dimmed">{description}</Text>}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
