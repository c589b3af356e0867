import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type AgentPublish, ApiError } from "@parley/client";
import type { UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";
import { useRole } from "../../../app/session/allowed.tsx";
import { rolesIncluding } from "../../../app/session/roles.at-build.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { ButtonLink } from "../../../ui/links.tsx";

/** Whether a suite that is a release gate prevented the publication. */
export function isGateClosed(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "release_gate_failed";
}

interface ClosedGateProps {
  publish: UseMutationResult<unknown, Error, AgentPublish>;
}

/** Which gates prevented the publication, the way to their suites, and for admins the way around them. */
export function ClosedGate({ publish: { error, variables, mutateAsync } }: ClosedGateProps) {
  const [isAsked, setAsked] = useState(false);
  const role = useRole();
  const mayOverride = role !== undefined && rolesIncluding["admin"]?.includes(role) === true;
  if (!isGateClosed(error)) return null;
  return (
    <Alert role="alert" color="orange" title="Not published: test suites must pass first">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{error.message}</Text>
        <Group gap="xs">
          <ButtonLink variant="default" size="xs" to="/test-suites">
            Test suites
          </ButtonLink>
          {mayOverride && (
            <Button size="xs" color="red" variant="light" onClick={() => setAsked(true)}>
              Publish anyway
            </Button>
          )}
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Publish although test suites have not passed?"
        confirm="Publish anyway"
        onConfirm={async () => await mutateAsync({ ...variables, overrideReleaseGate: true })}
      >
        New calls run on it at once. The audit log shows who published.
      </ConfirmDialog>
    </Alert>
  );
}
