import { FileInput, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type Agent, type AgentCreate, ApiError, type Parley } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { toast } from "../../ui/toast.ts";
import { readExport, type Reference, references, withoutReferences } from "./import.rules.ts";

const MAX_FILE_BYTES = 1024 * 1024;

interface Import {
  agent: Record<string, unknown>;
  /** What the file names and this organization does not have. */
  missing: readonly Reference[];
}

/** Makes an agent of a file that “Export as JSON” has saved, here or in another installation. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const parley = useParley();
  const read = useMutation({
    mutationFn: async (chosen: File) => await readFile(parley, chosen),
    onSuccess: ({ agent }) => setName(String(agent["name"])),
    // Otherwise the browser would not report that the same file, corrected, is chosen again.
    onError: () => setFile(null),
  });
  const save = useImport();
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    save.reset();
    if (chosen === null) read.reset();
    else read.mutate(chosen);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (read.data === undefined) return;
    const { agent, missing } = read.data;
    save.mutate({ ...withoutReferences(agent, missing), name }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title="Import an agent">
      <form onSubmit={submit}>
        <Stack>
          <FileInput
            label="File"
            description="A file saved by “Export as JSON”."
            placeholder="Choose a file"
            data-path="file"
            accept="application/json,.json"
            required
            clearable
            clearButtonProps={{ "aria-label": "Choose no file" }}
            value={file}
            onChange={choose}
            error={read.error?.message}
          />
          {read.data !== undefined && <Preview name={name} onRename={setName} missing={read.data.missing} />}
          <FormFooter
            problem={save.error ?? undefined}
            isSaving={save.isPending || read.isPending}
            onCancel={onClose}
            action="Import"
            isReady={read.data !== undefined}
          />
        </Stack>
      </form>
    </Modal>
  );
}

interface PreviewProps extends Pick<Import, "missing"> {
  name: string;
  onRename: (name: string) => void;
}

/** What the import makes of the file. */
function Preview({ name, onRename, missing }: PreviewProps) {
  return (
    <>
      <TextInput
        label="Name"
        data-path="name"
        required
        value={name}
        onChange={({ currentTarget }) => onRename(currentTarget.value)}
      />
      <Text size="sm">Phone numbers and environments stay with the original.</Text>
      {missing.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            Left out, because your organization does not have them:
          </Text>
          <List size="sm">
            {missing.map((reference) => (
              <List.Item key={reference}>{references[reference]}</List.Item>
            ))}
          </List>
        </>
      )}
    </>
  );
}

function useImport() {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    // The API checks every field, and names those that are wrong.
    mutationFn: async (agent: Record<string, unknown>): Promise<Agent> =>
      await parley.createAgent(agent as unknown as AgentCreate),
    onSuccess: async ({ id, name }) => {
      toast.done(`${name} is imported.`);
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      await navigate({ to: "/agents/$agentId", params: { agentId: id } });
    },
  });
}

async function readFile(parley: Parley, file: File): Promise<Import> {
  if (file.size > MAX_FILE_BYTES) throw new Error("The file is larger than 1 MiB.");
  const read = readExport(await file.text());
  if ("fault" in read) throw new Error(read.fault);
  const { agent } = read;
  const { sipTrunkId, folderId } = agent;
  const found = await Promise.all([
    isMissing(sipTrunkId, async (id) => await parley.getSipTrunk(id)),
    isMissing(folderId, async (id) => await parley.getFolder(id)),
  ]);
  const names = ["sipTrunkId", "folderId"] as const;
  return { agent, missing: names.filter((_name, index) => found[index]) };
}

async function isMissing(id: unknown, find: (id: string) => Promise<unknown>): Promise<boolean> {
  if (typeof id !== "string") return false;
  try {
    await find(id);
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return true;
    throw error;
  }
}
