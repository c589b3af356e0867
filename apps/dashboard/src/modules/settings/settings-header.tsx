import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { SectionLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

interface SettingsHeaderProps {
  title: string;
  description: string;
  actions?: ReactNode;
}

/** Heading of a page of the settings, and the way to the others. */
export function SettingsHeader({ title, description, actions }: SettingsHeaderProps) {
  return (
    <>
      <Group component="nav" aria-label="Settings" gap="xs" mb="lg">
        <SectionLink to="/settings/organization">Organization</SectionLink>
        <SectionLink to="/settings/members">Members</SectionLink>
        <SectionLink to="/settings/api-keys">API keys</SectionLink>
        <SectionLink to="/settings/providers">Providers</SectionLink>
        <SectionLink to="/settings/webhooks">Webhooks</SectionLink>
        <SectionLink to="/settings/do-not-call">Do not call</SectionLink>
        <SectionLink to="/settings/audit-log">Audit log</SectionLink>
        <SectionLink to="/settings/appearance">Appearance</SectionLink>
      </Group>
      <PageHeader title={title} description={description} actions={actions} />
    </>
  );
}
