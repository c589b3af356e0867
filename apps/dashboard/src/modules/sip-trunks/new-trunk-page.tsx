import { Button, Card, Group, List, Radio, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { TrunkFormFields } from "./trunk-form-fields.tsx";
import { type TrunkPreset, trunkPresets } from "./trunk-presets.ts";
import { emptyTrunk, useTrunkForm } from "./use-trunk-form.ts";

/** Begins with the carrier or PBX, whose documented settings fill the form. */
export function NewTrunkPage() {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [preset, setPreset] = useState<TrunkPreset>();
  const { form, saving, submit, problem } = useTrunkForm({
    initialValues: emptyTrunk,
    save: async (body) => await parley.createSipTrunk(body),
    onSaved: async ({ id }) => {
      form.resetDirty();
      await queryClient.invalidateQueries({ queryKey: ["sip-trunks"] });
      await navigate({ to: "/sip-trunks/$trunkId", params: { trunkId: id }, search: { check: true } });
    },
  });
  const choose = (id: string): void => {
    const chosen = trunkPresets.find((each) => each.id === id);
    if (chosen === undefined) return;
    const { username, password } = form.getValues();
    form.setValues({ ...emptyTrunk, username, password, ...chosen.values });
    form.clearErrors();
    setPreset(chosen);
  };
  return (
    <>
      <PageHeader
        title="New SIP trunk"
        description="Choose your carrier or PBX: its settings are filled in as far as they are the same for everybody."
      />
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack maw={820}>
        <PresetChoice value={preset?.id} onChange={choose} />
        {preset !== undefined && (
          <>
            <Steps preset={preset} />
            <Card component="form" withBorder padding="lg" onSubmit={submit} noValidate>
              <Stack>
                <Title order={2} size="h4">
                  In Parley
                </Title>
                <TrunkFormFields form={form} addressExample={preset.addressExample} />
                {problem !== undefined && <Problem error={problem} />}
                <Group justify="flex-end">
                  <ButtonLink variant="default" to="/sip-trunks">
                    Cancel
                  </ButtonLink>
                  <Button type="submit" loading={saving.isPending}>
                    Create and check
                  </Button>
                </Group>
              </Stack>
            </Card>
          </>
        )}
      </Stack>
    </>
  );
}

interface PresetChoiceProps {
  value: string | undefined;
  onChange: (id: string) => void;
}

function PresetChoice({ value = "", onChange }: PresetChoiceProps) {
  return (
    <Radio.Group aria-label="Carrier or PBX" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {trunkPresets.map(({ id, name, summary }) => (
          <Radio.Card key={id} value={id} p="md" bg="var(--house-raised)" aria-label={name}>
            <Group wrap="nowrap" gap="sm">
              <Radio.Indicator />
              <div>
                <Text fw={600}>{name}</Text>
                <Text size="sm" c="dimmed">
                  {summary}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

function Steps({ preset: { name, steps } }: { preset: TrunkPreset }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={name}>
      <Title order={2} size="h4" mb="sm">
        {name}
      </Title>
      <List type="ordered" size="sm" spacing="xs">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </Card>
  );
}
