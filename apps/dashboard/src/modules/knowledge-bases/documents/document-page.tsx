import { Stack, Text } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Pages } from "../../../ui/pages.tsx";
import { formatBytes, isUnderWay, placeOf, typeWords } from "../document-words.ts";
import { documentQuery, knowledgeBaseQuery, passagesQuery } from "../knowledge-bases.queries.ts";
import { PassageCard } from "../passage-card.tsx";
import { DeleteDocumentDialog, RenameDocumentDialog } from "./document-dialogs.tsx";
import { type DocumentChange, DocumentMenu } from "./document-menu.tsx";
import { DocumentStatusView } from "./document-status.tsx";
import { WebsiteReading } from "./website-reading.tsx";

const route = getRouteApi("/shell/in/knowledge-bases/$baseId/documents/$documentId");

/** One document: how far it is, and the passages that a search can find. */
export function DocumentPage() {
  const { baseId, documentId } = route.useParams();
  const document = useQuery(documentQuery(useParley(), baseId, documentId));
  return (
    <Loaded query={document} heading="Document">
      {(loaded) => <DocumentView document={loaded} />}
    </Loaded>
  );
}

function DocumentView({ document }: { document: KnowledgeDocument }) {
  const { knowledgeBaseId: baseId, name, type, bytes, status, statusReason } = document;
  const base = useQuery(knowledgeBaseQuery(useParley(), baseId));
  const navigate = route.useNavigate();
  const mayChange = useMay()("updateKnowledgeDocument");
  const [change, setChange] = useState<DocumentChange>();
  const close = (): void => setChange(undefined);
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            {typeWords[type]}, {formatBytes(bytes)}, in{" "}
            <TextLink to="/knowledge-bases/$baseId" params={{ baseId }} underline="always">
              {base.data?.name ?? "its knowledge base"}
            </TextLink>
          </>
        }
        actions={mayChange && <DocumentMenu document={document} onChoose={setChange} />}
      />
      <Stack>
        {status !== "ready" && <DocumentStatusView document={document} />}
        {statusReason !== null && <Text>{statusReason}</Text>}
        <WebsiteReading document={document} />
        <Passages document={document} />
      </Stack>
      <RenameDocumentDialog document={change?.kind === "rename" ? document : undefined} onClose={close} />
      <DeleteDocumentDialog
        document={change?.kind === "delete" ? document : undefined}
        onClose={close}
        onDeleted={async () => await navigate({ to: "/knowledge-bases/$baseId", params: { baseId } })}
      />
    </>
  );
}

function Passages({ document }: { document: KnowledgeDocument }) {
  const { id: documentId, knowledgeBaseId: baseId, passages: total } = document;
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  // The same number of passages may be others after a document was read again.
  const version = `${total} ${isUnderWay(document) ? "" : document.updatedAt}`;
  const passages = useQuery(passagesQuery(useParley(), { baseId, documentId, page, version }));
  if (total === 0) return null;
  return (
    <Loaded query={passages}>
      {(list) => (
        <>
          <Text size="sm" c="dimmed">
            A search returns these passages, each with its place in the document.
          </Text>
          <Stack component="ol" gap="sm" m={0} p={0}>
            {list.data.map((passage, index) => {
              const number = (list.page - 1) * list.pageSize + index + 1;
              return (
                <PassageCard
                  key={number}
                  source={placeOf(passage) || "Without a heading"}
                  text={passage.text}
                  badge={passage.isEmbedded ? undefined : "not searched yet"}
                />
              );
            })}
          </Stack>
          <Pages label="Passages" list={list} onPage={(next) => void navigate({ search: { page: next } })} />
        </>
      )}
    </Loaded>
  );
}
