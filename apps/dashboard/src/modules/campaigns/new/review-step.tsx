import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { callingAgentsQuery } from "../campaigns.queries.ts";
import { CampaignFacts } from "../form/campaign-facts.tsx";
import type { ContactImport } from "../import/use-contact-import.ts";
import type { CampaignCreation } from "./use-campaign-creation.ts";

interface ReviewStepProps {
  creation: CampaignCreation;
  model: ContactImport;
}

/** Everything once more, and the buttons that create the campaign. */
export function ReviewStep({ creation, model }: ReviewStepProps) {
  const { form, isSaving, problem, create } = creation;
  const { data: agents } = useQuery(callingAgentsQuery(useParley()));
  const values = form.getValues();
  const { length } = model.inputs;
  return (
    <Stack gap="lg">
      <Text fw={600}>{values.name === "" ? "The campaign has no name yet" : values.name}</Text>
      <ContactsLine model={model} />
      <CampaignFacts values={values} agentName={agents?.get(values.agentId)?.name ?? "None yet"} />
      {problem !== undefined && <Problem error={problem} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" loading={isSaving} onClick={() => create({ start: false })}>
          Save as a draft
        </Button>
        <Button disabled={length === 0} loading={isSaving} onClick={() => create({ start: true })}>
          {values.startAt === "" ? "Start the campaign" : "Schedule the campaign"}
        </Button>
      </Group>
    </Stack>
  );
}

function ContactsLine({ model: { file, inputs, contacts } }: { model: ContactImport }) {
  if (inputs.length > 0) return <Text>{inputs.length.toLocaleString("en")} contacts</Text>;
  const hasProblems = contacts?.some(({ problem }) => problem !== undefined) === true;
  return (
    <Text>
      {file === undefined
        ? "No contacts yet. A draft can get them later; to start, choose a file in the step Contacts."
        : hasProblems
          ? "Some rows have a problem. Correct the file, or leave them out in the step Contacts."
          : "The contacts are not checked yet. See the step Contacts."}
    </Text>
  );
}
