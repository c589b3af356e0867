import { FileInput, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { DoNotCallEntry, DoNotCallImported } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../app/session/session.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
}

export function AddDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Add a number" centered>
      <AddForm onClose={onClose} />
    </Modal>
  );
}

function AddForm({ onClose }: Pick<DialogProps, "onClose">) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<{ phoneNumber: string }, DoNotCallEntry>({
    initialValues: { phoneNumber: "" },
    validate: ({ phoneNumber }) => ({
      phoneNumber: phoneNumber.startsWith("+") ? undefined : "must begin with the country code, such as +49",
    }),
    save: async (values) => await parley.addDoNotCall(values),
    onSaved: async ({ phoneNumber }) => {
      onClose();
      toast.done(`${phoneNumber} is no longer called.`);
      await queryClient.invalidateQueries({ queryKey: ["do-not-call"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Phone number"
          description="With its country code."
          placeholder="+4930123456"
          inputMode="tel"
          data-autofocus
          data-path="phoneNumber"
          required
          {...form.getInputProps("phoneNumber")}
        />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

export function ImportDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Import numbers" centered>
      <ImportForm onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ onClose }: Pick<DialogProps, "onClose">) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<{ csv: File | null }, DoNotCallImported>({
    initialValues: { csv: null },
    validate: ({ csv }) => ({ csv: csv === null ? "is required" : undefined }),
    save: async ({ csv }) => await parley.importDoNotCall({ csv: (await csv?.text()) ?? "" }),
    onSaved: async ({ numbersAdded, duplicatesSkipped }) => {
      onClose();
      toast.done(
        `Numbers added: ${numbersAdded}${duplicatesSkipped === 0 ? "" : `, on the list before: ${duplicatesSkipped}`}.`,
      );
      await queryClient.invalidateQueries({ queryKey: ["do-not-call"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">
          All numbers of the file are added, or none if a line is wrong. At most 10,000 at once.
        </Text>
        <FileInput
          label="CSV file"
          description="The number is in the column phoneNumber, or in the first column."
          placeholder="Choose a file"
          accept=".csv,text/csv,text/plain"
          data-path="csv"
          required
          {...form.getInputProps("csv")}
        />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
