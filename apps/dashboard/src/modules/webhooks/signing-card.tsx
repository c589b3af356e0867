import { Badge, Button, Card, Group, Modal, Stack, Text, Title } from "@mantine/core";
import type { WebhookSigning } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { signingQuery } from "./webhooks.queries.ts";

/** Whether webhooks are signed, and its secret: created, rotated, removed. */
export function SigningCard() {
  const signing = useQuery(signingQuery(useParley()));
  return (
    <Card withBorder padding="lg" component="section" aria-label="Signature">
      <Loaded query={signing}>{(state) => <Signing state={state} />}</Loaded>
    </Card>
  );
}

type Asked = "rotate" | "disable";

function Signing({ state: { enabled, last4 } }: { state: WebhookSigning }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const reload = async (): Promise<void> =>
    await queryClient.invalidateQueries({ queryKey: ["webhooks", "signing"] });
  const rotate = async (): Promise<void> => {
    const created = await parley.rotateWebhookSigningSecret();
    setSecret(created.secret);
    await reload();
  };
  const create = useMutation({ mutationFn: rotate, onError: (error) => toast.failed(error) });
  const disable = async (): Promise<void> => {
    await parley.disableWebhookSigning();
    toast.done("Webhooks are no longer signed.");
    await reload();
  };
  return (
    <Stack align="flex-start">
      <Group gap="sm">
        <Title order={2} size="h4">
          Signature
        </Title>
        <Badge variant="light" color={enabled ? "house" : "gray"}>
          {enabled ? `on, secret …${last4 ?? ""}` : "off"}
        </Badge>
      </Group>
      <Text size="sm" c="dimmed">
        {enabled
          ? "Webhooks and tool requests carry a signature, by which your server knows that they come from here."
          : "With a secret, webhooks and tool requests carry a signature, by which your server knows that they come from here."}
      </Text>
      <Allowed operation="rotateWebhookSigningSecret">
        {enabled ? (
          <Group gap="xs">
            <Button variant="default" onClick={() => setAsked("rotate")}>
              Replace the secret
            </Button>
            <Button variant="default" onClick={() => setAsked("disable")}>
              Stop signing
            </Button>
          </Group>
        ) : (
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            Create a secret
          </Button>
        )}
      </Allowed>
      <SigningDialogs asked={asked} onClose={() => setAsked(undefined)} rotate={rotate} disable={disable} />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </Stack>
  );
}

interface SigningDialogsProps {
  asked: Asked | undefined;
  onClose: () => void;
  rotate: () => Promise<void>;
  disable: () => Promise<void>;
}

function SigningDialogs({ asked, onClose, rotate, disable }: SigningDialogsProps) {
  return (
    <>
      <ConfirmDialog
        isOpen={asked === "rotate"}
        onClose={onClose}
        title="Replace the secret?"
        confirm="Replace"
        onConfirm={rotate}
      >
        For 24 hours both secrets sign, so that you can change your server meanwhile. A secret that was
        replaced before stops at once.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "disable"}
        onClose={onClose}
        title="Stop signing webhooks?"
        confirm="Stop signing"
        onConfirm={disable}
      >
        Servers that verify the signature refuse the webhooks from now on. The secret is deleted.
      </ConfirmDialog>
    </>
  );
}

/** The secret, which is shown once. */
function SecretDialog({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  return (
    <Modal opened={secret !== undefined} onClose={onClose} title="Signing secret" centered>
      <Stack>
        <Text size="sm">Store the secret on your server now: it is not shown again.</Text>
        <CopyField label="Secret" value={secret ?? ""} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
