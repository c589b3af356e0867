import { Card, SegmentedControl, Stack } from "@mantine/core";
import { type ComponentType, useState } from "react";
import { FileDrop } from "./file-drop.tsx";
import { NewWebsite } from "./new-website.tsx";
import { PastedText } from "./pasted-text.tsx";

const ways: Readonly<Record<string, { label: string; View: ComponentType<{ baseId: string }> }>> = {
  files: { label: "Upload files", View: FileDrop },
  text: { label: "Paste text", View: PastedText },
  website: { label: "Website", View: NewWebsite },
};

/** The ways in which documents are added. */
export function AddDocuments({ baseId }: { baseId: string }) {
  const [way, setWay] = useState("files");
  const { View = FileDrop } = ways[way] ?? {};
  return (
    <Card withBorder padding="md">
      <Stack gap="md" align="stretch">
        <SegmentedControl
          aria-label="How to add documents"
          data={Object.entries(ways).map(([value, { label }]) => ({ value, label }))}
          value={way}
          onChange={setWay}
          style={{ alignSelf: "flex-start" }}
        />
        <View baseId={baseId} />
      </Stack>
    </Card>
  );
}
