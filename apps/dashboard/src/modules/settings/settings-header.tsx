import { Group } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

const pages = [
  { to: "/settings/members", label: "Members" },
  { to: "/settings/api-keys", label: "API keys" },
  { to: "/settings/audit-log", label: "Audit log" },
] as const;

interface SettingsHeaderProps {
  title: string;
  description: string;
  actions?: ReactNode;
}

/** Heading of a page of the settings, and the way to the others. */
export function SettingsHeader({ title, description, actions }: SettingsHeaderProps) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <>
      <Group component="nav" aria-label="Settings" gap="xs" mb="lg">
        {pages.map(({ to, label }) => (
          <ButtonLink
            key={to}
            to={to}
            size="xs"
            variant={pathname === to ? "light" : "subtle"}
            {...(pathname === to && { "aria-current": "page" })}
          >
            {label}
          </ButtonLink>
        ))}
      </Group>
      <PageHeader title={title} description={description} actions={actions} />
    </>
  );
}
