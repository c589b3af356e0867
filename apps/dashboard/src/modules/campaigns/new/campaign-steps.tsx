import { Button, Card, Group, Title } from "@mantine/core";
import type { Campaign } from "@parley/client";
import { useState } from "react";
import { ButtonLink } from "../../../ui/links.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { UnsavedChangesGuard } from "../../../ui/unsaved-changes.tsx";
import type { CampaignValues } from "../form/campaign-values.rules.ts";
import { findFaults } from "../form/campaign-values.rules.ts";
import { LineFields } from "../form/line-fields.tsx";
import { PaceFields } from "../form/pace-fields.tsx";
import { ScheduleFields } from "../form/schedule-fields.tsx";
import { useContactImport } from "../import/use-contact-import.ts";
import { ContactsStep } from "./contacts-step.tsx";
import { ReviewStep } from "./review-step.tsx";
import { type StepName, stepOf, steps } from "./steps.rules.ts";
import { useCampaignCreation } from "./use-campaign-creation.ts";
import "../campaigns.css";

interface CampaignStepsProps {
  initialValues: CampaignValues;
  /** The campaign that is copied. */
  original?: Campaign;
}

/** A new campaign in five steps. All steps are open at any time; the last one shows what is still missing. */
export function CampaignSteps({ initialValues, original }: CampaignStepsProps) {
  const [step, setStep] = useState<StepName>("line");
  const model = useContactImport();
  const creation = useCampaignCreation({
    initialValues,
    contacts: model.inputs,
    onFaults: (path) => setStep(stepOf(path)),
  });
  const { form } = creation;
  const index = steps.findIndex(({ name }) => name === step);
  const [previous, next] = [steps[index - 1], steps[index + 1]];
  const goOn = (): void => {
    const faults = Object.entries(findFaults(form.getValues())).filter(([path]) => stepOf(path) === step);
    if (faults.length > 0) form.setErrors(Object.fromEntries(faults));
    else if (next !== undefined) setStep(next.name);
  };
  return (
    <>
      <PageHeader
        title={original === undefined ? "New campaign" : `Copy of ${original.name}`}
        description="No call is placed before you start the campaign."
      />
      <UnsavedChangesGuard
        isDirty={() => !creation.isSaved() && (form.isDirty() || model.file !== undefined)}
      />
      <StepLinks current={step} onChoose={setStep} />
      <Card withBorder padding="lg" component="section" aria-label={steps[index]?.title}>
        <Title order={2} size="h4" mb="md">
          {steps[index]?.title}
        </Title>
        {step === "line" && <LineFields form={form} />}
        {step === "contacts" && <ContactsStep model={model} form={form} original={original} />}
        {step === "schedule" && <ScheduleFields form={form} />}
        {step === "pace" && <PaceFields form={form} />}
        {step === "review" && <ReviewStep creation={creation} model={model} />}
      </Card>
      <Group justify="space-between" mt="md">
        <ButtonLink variant="subtle" color="gray" to="/campaigns">
          Cancel
        </ButtonLink>
        <Group gap="sm">
          {previous !== undefined && (
            <Button variant="default" onClick={() => setStep(previous.name)}>
              Back
            </Button>
          )}
          {next !== undefined && <Button onClick={goOn}>Continue</Button>}
        </Group>
      </Group>
    </>
  );
}

interface StepLinksProps {
  current: StepName;
  onChoose: (step: StepName) => void;
}

function StepLinks({ current, onChoose }: StepLinksProps) {
  return (
    <nav aria-label="Steps">
      <ol className="steps">
        {steps.map(({ name, title }, index) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === current ? "step" : undefined}
              onClick={() => onChoose(name)}
            >
              {index + 1}. {title}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
