import { Badge, Progress, Stack, Text } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { count, statusWords } from "../document-words.ts";

const FULL_PERCENT = 100;

/** How far a document is. */
export function DocumentStatusView({ document }: { document: KnowledgeDocument }) {
  const { status, passages, embeddedPassages } = document;
  const { label, color } = statusWords[status];
  const isCounted = status === "processing" && passages > 0;
  return (
    <Stack gap={4}>
      <Badge variant="light" color={color} miw="max-content">
        {label}
      </Badge>
      {isCounted && (
        <>
          <Progress
            size="sm"
            value={(embeddedPassages / passages) * FULL_PERCENT}
            aria-label={`Progress of ${document.name}`}
          />
          <Text size="xs" c="dimmed">
            {embeddedPassages.toLocaleString("en")} of {count(passages, "passage")}
          </Text>
        </>
      )}
    </Stack>
  );
}
