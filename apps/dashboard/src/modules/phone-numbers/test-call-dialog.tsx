import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { Call, PhoneNumber } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { numberAgentsQuery } from "./phone-numbers.queries.ts";

interface TestCallDialogProps {
  number: PhoneNumber;
  agentId: string;
  onClose: () => void;
}

/** The number's agent calls a telephone; the page of the live call opens. */
export function TestCallDialog({ number, agentId, onClose }: TestCallDialogProps) {
  const { e164, environment } = number;
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: agents } = useQuery(numberAgentsQuery(parley));
  const { form, saving, submit, problem } = useApiForm<{ toNumber: string }, Call>({
    initialValues: { toNumber: "" },
    validate: ({ toNumber }) => ({ toNumber: toNumber.trim() === "" ? "is required" : undefined }),
    save: async ({ toNumber }) =>
      await parley.createCall({ agentId, toNumber: toNumber.trim(), fromNumber: e164, environment }),
    onSaved: async ({ id }) => {
      onClose();
      await navigate({ to: "/calls/$callId", params: { callId: id } });
      await queryClient.invalidateQueries({ queryKey: ["calls"] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Test call from ${e164}`} closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">
            {agents?.get(agentId)?.name ?? "The agent"} ({environment ?? "production"}) calls this telephone
            at once. It is a real call, which your carrier charges.
          </Text>
          <TextInput
            label="Number to call"
            description="With its country code, or an extension of the PBX."
            type="tel"
            placeholder="+1 202 555 0199"
            required
            data-autofocus
            data-path="toNumber"
            {...form.getInputProps("toNumber")}
          />
          {problem !== undefined && <Problem error={problem} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={saving.isPending}>
              Call
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
