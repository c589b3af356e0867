import { Button, FileButton, Group, Loader, Stack, Text } from "@mantine/core";
import Upload from "lucide-react/icons/upload";
import { type DragEvent, useState } from "react";
import { RemoveButton } from "../../../ui/list-buttons.tsx";
import { fileExtensions, maxDocumentBytes } from "../document-limits.at-build.ts";
import { formatBytes } from "../document-words.ts";
import { type Upload as UploadState, useUploads } from "./use-uploads.ts";
import "./file-drop.css";

/** Takes several files, by a button or by drag and drop. */
export function FileDrop({ baseId }: { baseId: string }) {
  const { uploads, add, remove } = useUploads(baseId);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  };
  return (
    <Stack gap="sm">
      <div
        className="file-drop"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileButton multiple accept={fileExtensions.map((each) => `.${each}`).join(",")} onChange={add}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<Upload size={16} aria-hidden />}>
              Choose files
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          or drop them here: text, Markdown, HTML, CSV, PDF or Word (.docx), at most{" "}
          {formatBytes(maxDocumentBytes)} each. The local model is made for English.
        </Text>
      </div>
      {uploads.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0} aria-label="Uploads" aria-live="polite">
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} onRemove={() => remove(upload.key)} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function UploadRow({ upload, onRemove }: { upload: UploadState; onRemove: () => void }) {
  const { file, state, reason } = upload;
  return (
    <Group component="li" gap="xs" wrap="nowrap">
      {state === "sending" && <Loader size="xs" aria-hidden />}
      <Text size="sm" {...(state === "refused" && { c: "red" })} className="upload-words">
        {state === "refused"
          ? reason
          : `${file.name}: ${state === "sending" ? "is being uploaded" : "waits"} (${formatBytes(file.size)})`}
      </Text>
      {state === "refused" && <RemoveButton what={`the message about ${file.name}`} onClick={onRemove} />}
    </Group>
  );
}
