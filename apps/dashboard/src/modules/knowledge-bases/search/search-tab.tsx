import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { KnowledgePassage } from "@parley/client";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Search from "lucide-react/icons/search";
import { type FormEvent, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { placeOf } from "../document-words.ts";
import { PassageCard } from "../passage-card.tsx";

const route = getRouteApi("/shell/in/knowledge-bases/$baseId");
const LIMIT = 10;
/** Shown while nothing was searched yet. */
const EXPLANATION =
  "Ask as a caller would. The search finds passages by their meaning and by their words, as your agents do.";

/** A search as agents do it, with scores and sources. */
export function SearchTab() {
  const { baseId } = route.useParams();
  const parley = useParley();
  const [query, setQuery] = useState("");
  const search = useMutation({
    mutationFn: async (asked: string) =>
      await parley.searchKnowledgeBase(baseId, { query: asked, limit: LIMIT }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (query.trim() !== "") search.mutate(query.trim());
  };
  return (
    <Stack>
      <form onSubmit={submit} role="search">
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Question"
            description={EXPLANATION}
            placeholder="How much does it cost to cancel?"
            maxLength={1_000}
            data-path="query"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
            style={{ flex: "1 1 280px" }}
          />
          <Button type="submit" leftSection={<Search size={16} aria-hidden />} loading={search.isPending}>
            Search
          </Button>
        </Group>
      </form>
      {search.error !== null && <Problem error={search.error} />}
      {search.data !== undefined && <Results baseId={baseId} passages={search.data} />}
    </Stack>
  );
}

function Results({ baseId, passages }: { baseId: string; passages: readonly KnowledgePassage[] }) {
  if (passages.length === 0)
    return (
      <Text c="dimmed" role="status">
        Nothing was found: the knowledge base has no document that is ready.
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        The best first. The score goes from 0 to 1; an agent gets passages that reach its minimum similarity.
      </Text>
      <Stack component="ol" gap="sm" m={0} p={0}>
        {passages.map((passage) => {
          const { documentId, documentName, score, text } = passage;
          const place = placeOf(passage);
          return (
            <PassageCard
              key={`${documentId} ${text}`}
              text={text}
              badge={score.toFixed(2)}
              source={
                <>
                  <TextLink
                    to="/knowledge-bases/$baseId/documents/$documentId"
                    params={{ baseId, documentId }}
                    size="sm"
                    fw={600}
                    underline="always"
                  >
                    {documentName}
                  </TextLink>
                  {place !== "" && ` › ${place}`}
                </>
              }
            />
          );
        })}
      </Stack>
    </>
  );
}
