import { Modal, Select, Stack, TextInput } from "@mantine/core";
import type { TestRun, TestRunStart, TestSuite } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { FormFooter } from "../../../ui/form-footer.tsx";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { VariablesField } from "../../../ui/variables-field.tsx";
import { environmentsQuery } from "../../agents/agents.queries.ts";
import { modeChoices } from "../test-suite-words.tsx";

interface StartRunProps {
  suite: TestSuite;
  /** Cases to run. Absent: all. */
  testCaseIds?: readonly string[];
  onClose: () => void;
}

interface Values {
  name: string;
  /** Empty: the draft. */
  environment: string;
  mode: TestSuite["mode"];
  variables: NonNullable<TestRunStart["variables"]>;
}

function useStart({ suite, testCaseIds }: StartRunProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useApiForm<Values, TestRun>({
    initialValues: { name: "", environment: "", mode: suite.mode, variables: {} },
    save: async ({ name, environment, ...values }) =>
      await parley.startTestRun(suite.id, {
        ...values,
        environment: environment === "" ? null : environment,
        ...(name.trim() !== "" && { name }),
        ...(testCaseIds !== undefined && { testCaseIds: [...testCaseIds] }),
      }),
    onSaved: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ["test-suites", suite.id, "runs"] });
      await navigate({ to: "/test-suites/$suiteId/runs/$runId", params: { suiteId: suite.id, runId: id } });
    },
  });
}

/** What a run tests, and with what. */
export function StartRunDialog(props: StartRunProps) {
  const { suite, testCaseIds, onClose } = props;
  const { form, saving, submit, problem } = useStart(props);
  const { data: environments } = useQuery(environmentsQuery(useParley(), suite.agentId));
  const title = testCaseIds === undefined ? `Run ${suite.name}` : "Run this case";
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Select
            label="Environment"
            description="The configuration is fixed when the run starts."
            allowDeselect={false}
            data={[
              { value: "", label: "Draft (as saved)" },
              ...(environments ?? []).map(({ name }) => ({ value: name, label: name })),
            ]}
            {...form.getInputProps("environment")}
            data-path="environment"
          />
          <Select
            label="Test type"
            allowDeselect={false}
            data={modeChoices}
            {...form.getInputProps("mode")}
            data-path="mode"
          />
          <VariablesField
            label="Variables"
            description="They override those of the agent, the environment, the suite and its cases."
            error={form.errors["variables"] as string | undefined}
            path="variables"
            value={form.getValues().variables}
            onChange={(value) => form.setFieldValue("variables", value as Values["variables"])}
          />
          <TextInput
            label="Name"
            description="Empty: made of the suite's name and the time."
            {...form.getInputProps("name")}
            data-path="name"
          />
          <FormFooter
            problem={problem}
            isSaving={saving.isPending}
            onCancel={onClose}
            action="Start the run"
          />
        </Stack>
      </form>
    </Modal>
  );
}
