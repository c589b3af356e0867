import { Button, Card, Code, Group, Select, Stack, Text, Title } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { widgetLanguages } from "./widget-languages.at-build.ts";
import { WidgetPreview } from "./widget-preview.tsx";

const SIGNING = `const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = { sub: user.id, exp: Math.floor(Date.now() / 1000) + 600 };
const body = part({ alg: "HS256", typ: "JWT" }) + "." + part(claims);
const userToken = body + "." + createHmac("sha256", secret).update(body).digest("base64url");`;

const languageNames = new Intl.DisplayNames("en", { type: "language" });
const languageOptions = widgetLanguages.map((value) => ({ value, label: languageNames.of(value) ?? value }));

/** Beside the settings of the widget: how it looks, the tag for pages, and the secret of signed users. */
export function WidgetCard({ agent, config }: { agent: Agent; config: Agent["widgetConfig"] }) {
  const [language, setLanguage] = useState<string | null>(null);
  const languageAttribute = language === null ? "" : ` data-language="${language}"`;
  const tag = `<script src="${location.origin}/widget.js" data-widget-key="${agent.widgetKey}"${languageAttribute} async></script>`;
  return (
    <Card withBorder padding="lg" mt="lg">
      <Stack gap="lg">
        <Stack gap="xs">
          <Title order={2} size="h4">
            Preview
          </Title>
          <Text c="dimmed" size="sm">
            With the settings above, saved or not. Nothing that you write in it is sent.
          </Text>
          <Select
            label="Language of buttons and notices"
            description="Another language than the agent's is an attribute of the tag below."
            placeholder="The agent's language"
            data={languageOptions}
            value={language}
            onChange={setLanguage}
            clearable
            maw={360}
          />
          <WidgetPreview agent={agent} config={config} language={language ?? agent.language} />
        </Stack>
        <Stack gap="xs">
          <Title order={2} size="h4">
            On your pages
          </Title>
          <Text c="dimmed" size="sm">
            {config.enabled
              ? "Put this tag on each page that shows the widget. The key is public."
              : "Switch the widget on above, then put this tag on each page that shows it. The key is public."}
          </Text>
          <CopyField label="Tag" value={tag} />
        </Stack>
        <UserSecret agentId={agent.id} />
      </Stack>
    </Card>
  );
}

function UserSecret({ agentId }: { agentId: string }) {
  const parley = useParley();
  const [secret, setSecret] = useState<string>();
  const { data } = useQuery({
    queryKey: secretKey(agentId),
    queryFn: async ({ signal }) => await parley.getWidgetSecret(agentId, { signal }),
  });
  const isEnabled = data?.enabled === true;
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size="h4">
        Users who are signed in
      </Title>
      <Text c="dimmed" size="sm">
        Your server signs a user's id with a secret, and the page passes it on as data-user-token. The user
        then has the same chat on every device.
        {isEnabled && ` The present secret ends in ${data.last4}.`}
      </Text>
      {secret !== undefined && <CopyField label="Secret, shown once" value={secret} />}
      <Text size="sm">In Node, with createHmac of node:crypto:</Text>
      <Code block tabIndex={0} maw="100%" aria-label="Code for your server">
        {SIGNING}
      </Code>
      <SecretActions agentId={agentId} isEnabled={isEnabled} onSecret={setSecret} />
    </Stack>
  );
}

interface SecretActionsProps {
  agentId: string;
  isEnabled: boolean;
  /** Called with a new secret; with `undefined` once it is deleted. */
  onSecret: (secret: string | undefined) => void;
}

function SecretActions({ agentId, isEnabled, onSecret }: SecretActionsProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<"rotate" | "delete">();
  const change = async (make: () => Promise<string | undefined>): Promise<void> => {
    onSecret(await make());
    await queryClient.invalidateQueries({ queryKey: secretKey(agentId) });
  };
  const rotate = async () => (await parley.rotateWidgetSecret(agentId)).secret;
  const remove = async () => void (await parley.deleteWidgetSecret(agentId));
  const label = isEnabled ? "Replace the secret" : "Create a secret";
  const close = (): void => setAsked(undefined);
  return (
    <Group gap="sm">
      <Allowed operation="rotateWidgetSecret">
        <Button variant="default" onClick={() => setAsked("rotate")}>
          {label}
        </Button>
      </Allowed>
      {isEnabled && (
        <Allowed operation="deleteWidgetSecret">
          <Button variant="light" color="red" onClick={() => setAsked("delete")}>
            Delete the secret
          </Button>
        </Allowed>
      )}
      <ConfirmDialog
        isOpen={asked === "rotate"}
        onClose={close}
        title={`${label}?`}
        confirm={label}
        onConfirm={async () => await change(rotate)}
      >
        <Text>It is shown once. A previous secret is invalid at once.</Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "delete"}
        onClose={close}
        title="Delete the secret?"
        confirm="Delete"
        onConfirm={async () => await change(remove)}
      >
        <Text>Pages can no longer sign users in. Sessions that exist last up to a day.</Text>
      </ConfirmDialog>
    </Group>
  );
}

function secretKey(agentId: string): readonly string[] {
  return ["agents", "widget-secret", agentId];
}
