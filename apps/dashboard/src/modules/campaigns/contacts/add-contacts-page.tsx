import { Button, Card, Group, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { ButtonLink } from "../../../ui/links.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { toast } from "../../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../../ui/unsaved-changes.tsx";
import { slicesOf } from "../import/checked-contacts.rules.ts";
import { ContactImportForm } from "../import/contact-import-form.tsx";
import { MAX_CONTACTS, useContactImport } from "../import/use-contact-import.ts";

const route = getRouteApi("/shell/in/campaigns/$campaignId/add-contacts");

/** Adds the contacts of a file to a campaign, also while it runs. */
export function AddContactsPage() {
  const { campaignId } = route.useParams();
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const model = useContactImport();
  const isSaved = useRef(false);
  const adding = useMutation({
    mutationFn: async () => {
      let [added, skipped] = [0, 0];
      for (const contacts of slicesOf(model.inputs, MAX_CONTACTS)) {
        const result = await parley.addCampaignContacts(campaignId, { contacts });
        added += result.contactsAdded;
        skipped += result.duplicatesSkipped;
      }
      return { added, skipped };
    },
    onSuccess: async ({ added, skipped }) => {
      const rest = skipped === 0 ? "" : ` ${skipped.toLocaleString("en")} were there before.`;
      toast.done(`${added.toLocaleString("en")} contacts are added.${rest}`);
      isSaved.current = true;
      await navigate({ to: "/campaigns/$campaignId/contacts", params: { campaignId } });
    },
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ["campaigns", campaignId] }),
  });
  const { length } = model.inputs;
  return (
    <Card withBorder padding="lg">
      <UnsavedChangesGuard isDirty={() => model.file !== undefined && !isSaved.current} />
      <Title order={2} size="h4" mb="md">
        Add contacts
      </Title>
      <Stack>
        <ContactImportForm model={model} />
        {adding.error !== null && <Problem error={adding.error} />}
        <Group justify="flex-end">
          <ButtonLink variant="default" to="/campaigns/$campaignId/contacts" params={{ campaignId }}>
            Cancel
          </ButtonLink>
          <Button disabled={length === 0} loading={adding.isPending} onClick={() => adding.mutate()}>
            {length === 0 ? "Add contacts" : `Add ${length.toLocaleString("en")} contacts`}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
