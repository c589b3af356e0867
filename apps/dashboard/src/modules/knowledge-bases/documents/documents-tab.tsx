import { Select, Stack, Text } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import FileText from "lucide-react/icons/file-text";
import { useState } from "react";
import { Allowed, useMay } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { TextLink } from "../../../ui/links.tsx";
import { documentStatuses, formatBytes, statusWords, typeWords } from "../document-words.ts";
import { documentsQuery } from "../knowledge-bases.queries.ts";
import { AddDocuments } from "./add-documents.tsx";
import { DeleteDocumentDialog, RenameDocumentDialog } from "./document-dialogs.tsx";
import { type DocumentChange, DocumentMenu } from "./document-menu.tsx";
import { DocumentStatusView } from "./document-status.tsx";
import { useBaseRefresh } from "./use-base-refresh.ts";

const route = getRouteApi("/shell/in/knowledge-bases/$baseId/");

/** The documents of a base with their progress, and ways to add more. */
export function DocumentsTab() {
  const { baseId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const documents = useQuery(documentsQuery(useParley(), baseId, search));
  const mayChange = useMay()("deleteKnowledgeDocument");
  const [change, setChange] = useState<DocumentChange>();
  const close = (): void => setChange(undefined);
  useBaseRefresh(baseId, documents.data?.data);
  return (
    <Stack>
      <Allowed operation="createKnowledgeDocument">
        <AddDocuments baseId={baseId} />
      </Allowed>
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        maw={240}
        data={documentStatuses.map((value) => ({ value, label: statusWords[value].label }))}
        value={search.status ?? null}
        onChange={(status) =>
          void navigate({
            search: { status: documentStatuses.find((each) => each === status) },
            replace: true,
          })
        }
      />
      <div>
        <DataTable
          label="Documents"
          query={documents}
          columns={columnsFor(baseId, mayChange ? setChange : undefined)}
          keyOf={({ id }) => id}
          onPage={(page) => void navigate({ search: (now) => ({ ...now, page }) })}
          empty={
            search.status === undefined ? (
              <EmptyState icon={FileText} title="No documents yet">
                Each document is divided into passages at its headings and paragraphs. Agents get the passages
                that fit a question, so texts with clear headings work best.
              </EmptyState>
            ) : (
              <Text c="dimmed">No document has this status.</Text>
            )
          }
        />
      </div>
      <RenameDocumentDialog
        document={change?.kind === "rename" ? change.document : undefined}
        onClose={close}
      />
      <DeleteDocumentDialog
        document={change?.kind === "delete" ? change.document : undefined}
        onClose={close}
      />
    </Stack>
  );
}

function columnsFor(
  baseId: string,
  onChange: ((change: DocumentChange) => void) | undefined,
): readonly Column<KnowledgeDocument>[] {
  return [
    {
      header: "Name",
      cell: ({ id, name, statusReason }) => (
        <Stack gap={2}>
          <TextLink
            to="/knowledge-bases/$baseId/documents/$documentId"
            params={{ baseId, documentId: id }}
            fw={600}
            style={{ overflowWrap: "anywhere" }}
          >
            {name}
          </TextLink>
          {statusReason !== null && (
            <Text size="xs" maw={420}>
              {statusReason}
            </Text>
          )}
        </Stack>
      ),
    },
    { header: "Status", cell: (document) => <DocumentStatusView document={document} /> },
    {
      header: "Passages",
      cell: ({ passages }) => passages.toLocaleString("en"),
      align: "right",
      visibleFrom: "sm",
    },
    {
      header: "File",
      cell: ({ type, bytes }) => `${typeWords[type]}, ${formatBytes(bytes)}`,
      visibleFrom: "sm",
    },
    { header: "Added", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "lg" },
    ...(onChange === undefined
      ? []
      : [
          {
            header: "Actions",
            align: "right" as const,
            cell: (document: KnowledgeDocument) => <DocumentMenu document={document} onChoose={onChange} />,
          },
        ]),
  ];
}
