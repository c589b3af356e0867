import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import type { InvitationCreated } from "@parley/client";
import type { MemberRole } from "@parley/contract";
import { useState } from "react";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { rolesBelow } from "./role.rules.ts";

interface InviteFormProps {
  /** Role of the person who invites, which bounds the roles that they give. */
  ownRole: string | undefined;
  invite: (invitation: { email: string; role: MemberRole }) => Promise<InvitationCreated>;
  onClose: () => void;
}

/** Invites a person. Shows the link if the server sends no e-mail. */
export function InviteDialog({ isOpen, ...form }: InviteFormProps & { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title="Invite a person" centered>
      <InviteForm {...form} />
    </Modal>
  );
}

function InviteForm({ ownRole, invite, onClose }: InviteFormProps) {
  const [created, setCreated] = useState<InvitationCreated>();
  const { form, saving, submit, problem } = useApiForm<
    { email: string; role: MemberRole },
    InvitationCreated
  >({
    initialValues: { email: "", role: "member" },
    validate: ({ email }) => ({ email: email.includes("@") ? undefined : "must be an e-mail address" }),
    save: invite,
    onSaved: (invitation) => {
      if (invitation.link !== null) return setCreated(invitation);
      toast.done(`The invitation was sent to ${invitation.email}.`);
      onClose();
    },
  });
  if (created?.link !== undefined && created.link !== null)
    return <CreatedLink email={created.email} link={created.link} onClose={onClose} />;
  const choices = rolesBelow(ownRole);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          data-autofocus
          data-path="email"
          required
          {...form.getInputProps("email")}
        />
        <Select
          label="Role"
          description={choices.find(({ value }) => value === form.values.role)?.description}
          allowDeselect={false}
          data={choices.map(({ value, label }) => ({ value, label }))}
          data-path="role"
          {...form.getInputProps("role")}
        />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CreatedLink({ email, link, onClose }: { email: string; link: string; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        No e-mail was sent. Give this link to {email}: it works once, for 7 days, and is not shown again.
      </Text>
      <CopyField label="Link of the invitation" value={link} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
