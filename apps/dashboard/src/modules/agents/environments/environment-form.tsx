import { Modal, NumberInput, Stack, TextInput } from "@mantine/core";
import type { Environment } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { FormFooter } from "../../../ui/form-footer.tsx";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { VariablesField } from "../../../ui/variables-field.tsx";

const NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

interface EnvironmentFormProps {
  agentId: string;
  /** `undefined`: a new one. */
  environment: Environment | undefined;
  onClose: () => void;
}

interface Values {
  name: string;
  revision: number | null;
  variables: Environment["variables"];
}

function useEnvironmentForm({ agentId, environment, onClose }: EnvironmentFormProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { name = "", revision = null, variables = {} } = environment ?? {};
  return useApiForm<Values, Environment>({
    initialValues: { name, revision, variables },
    validate: (values) => ({
      name: NAME_PATTERN.test(values.name)
        ? undefined
        : "must be lowercase letters, digits and hyphens, and begin with a letter",
    }),
    save: async (values) =>
      await parley.putEnvironment(agentId, values.name, {
        revision: values.revision,
        variables: values.variables,
      }),
    onSaved: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["agents", agentId] });
      toast.done(`${saved.name} is saved.`);
      onClose();
    },
  });
}

/** Version and variables of one environment. */
export function EnvironmentForm(props: EnvironmentFormProps) {
  const { environment, onClose } = props;
  const { form, saving, submit, problem } = useEnvironmentForm(props);
  return (
    <Modal
      opened
      onClose={onClose}
      title={environment === undefined ? "New environment" : `Edit ${environment.name}`}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            description="Lowercase letters, digits and hyphens, such as staging."
            required
            disabled={environment !== undefined}
            data-path="name"
            {...form.getInputProps("name")}
          />
          <NumberInput
            label="Revision"
            description="Version of the agent that runs here. Empty: the draft, as last saved."
            min={1}
            allowDecimal={false}
            data-path="revision"
            {...form.getInputProps("revision")}
            value={form.getValues().revision ?? ""}
            onChange={(value) => form.setFieldValue("revision", typeof value === "number" ? value : null)}
          />
          <VariablesField
            label="Variables"
            description="They override the agent's default variables."
            path="variables"
            value={form.getValues().variables}
            error={form.errors["variables"] as string | undefined}
            onChange={(value) => form.setFieldValue("variables", value as Values["variables"])}
          />
          <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
