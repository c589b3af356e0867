import { Group } from "@mantine/core";
import { Outlet } from "@tanstack/react-router";
import { useIdentity } from "../../app/session/session.tsx";
import { SectionLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

/** Pages of those who operate the installation, of all organizations. */
export function OperatorSection() {
  const identity = useIdentity();
  if (identity?.user.isOperator !== true)
    return (
      <PageHeader
        title="Operator"
        description={
          identity === undefined
            ? "These pages are for operators of this installation, who sign in with e-mail and password."
            : "These pages are for operators of this installation. An operator makes you one with: npm run parley -- users make-operator EMAIL"
        }
      />
    );
  return (
    <>
      <Group component="nav" aria-label="Operator" gap="xs" mb="lg">
        <SectionLink to="/operator/organizations">Organizations</SectionLink>
        <SectionLink to="/operator/phone-numbers">Phone numbers</SectionLink>
        <SectionLink to="/operator/nodes">Nodes</SectionLink>
        <SectionLink to="/operator/checks">Checks</SectionLink>
        <SectionLink to="/operator/audit-log">Audit log</SectionLink>
      </Group>
      <Outlet />
    </>
  );
}
