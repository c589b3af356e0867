import { Anchor, Button, Group, List, Stack, Text } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { Problem } from "../../../ui/problem.tsx";
import { count, isUnderWay } from "../document-words.ts";

/** When a website was read, what was not, and a button to read it again. */
export function WebsiteReading({ document }: { document: KnowledgeDocument }) {
  const { id, knowledgeBaseId, website, nextSyncAt } = document;
  const parley = useParley();
  const queryClient = useQueryClient();
  const sync = useMutation({
    mutationFn: async () => await parley.syncKnowledgeDocument(knowledgeBaseId, id),
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] }),
  });
  if (website === null) return null;
  const { url, pages, maxPages, problems, syncedAt } = website;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm">
          <Anchor href={url} target="_blank" rel="noreferrer" underline="always">
            {url}
          </Anchor>
          : {count(pages, "page")} of at most {maxPages} read
          {syncedAt !== null && `, the last time on ${formatDateTime(syncedAt)}`}
          {nextSyncAt !== null && `, the next time on ${formatDateTime(nextSyncAt)}`}
        </Text>
        <Allowed operation="syncKnowledgeDocument">
          <Button
            variant="default"
            disabled={isUnderWay(document)}
            loading={sync.isPending}
            onClick={() => sync.mutate()}
          >
            Read it again
          </Button>
        </Allowed>
      </Group>
      {sync.error !== null && <Problem error={sync.error} />}
      {problems.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            Not read
          </Text>
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem.url} style={{ overflowWrap: "anywhere" }}>
                {problem.url}: {problem.reason}
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  );
}
