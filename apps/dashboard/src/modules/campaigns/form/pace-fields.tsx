import { Checkbox, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { SchemaField } from "../../../ui/schema-field.tsx";
import { campaignFields, retryFields } from "../campaign-fields.at-build.ts";
import { describePace, outcomes, retriedOutcomes } from "../campaign-words.ts";
import type { CampaignFormProps } from "./campaign-form.ts";

/** How fast people are called, and how often if they are not reached. */
export function PaceFields({ form }: CampaignFormProps) {
  const { callsPerSecond, maxConcurrency, retryPolicy } = form.getValues();
  const isRepeated = retryPolicy.maxAttempts > 1;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <SchemaField
          form={form}
          path="maxConcurrency"
          label="Calls at once"
          schema={campaignFields["maxConcurrency"] ?? {}}
        />
        <SchemaField form={form} path="callsPerSecond" schema={campaignFields["callsPerSecond"] ?? {}} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {describePace(callsPerSecond)}, and {maxConcurrency ?? 0} at once. A full node delays calls, and
        leaves places for inbound ones.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <SchemaField
          form={form}
          path="retryPolicy.maxAttempts"
          label="Attempts per contact"
          schema={retryFields["maxAttempts"] ?? {}}
        />
        <SchemaField
          form={form}
          path="retryPolicy.retryDelayMinutes"
          label="Minutes between attempts"
          schema={retryFields["retryDelayMinutes"] ?? {}}
          disabled={!isRepeated}
        />
      </SimpleGrid>
      <Checkbox.Group
        label="Dial again after"
        description="Somebody who has answered is not called again. Numbers that do not exist are not either."
        value={[...retryPolicy.retryOn]}
        onChange={(chosen) => form.setFieldValue("retryPolicy.retryOn", chosen)}
      >
        <Group gap="md" mt={6}>
          {retriedOutcomes.map((outcome) => (
            <Checkbox key={outcome} value={outcome} label={outcomes[outcome].label} disabled={!isRepeated} />
          ))}
        </Group>
      </Checkbox.Group>
      <SchemaField
        form={form}
        path="voicemailStrategy"
        label="On a voicemail"
        schema={campaignFields["voicemailStrategy"] ?? {}}
      />
    </Stack>
  );
}
