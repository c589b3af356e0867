import { Button, Stack, Text } from "@mantine/core";
import type { KnowledgeBase } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Library from "lucide-react/icons/library";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Allowed, useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { type BaseChange, BaseMenu } from "./base-menu.tsx";
import { BaseUsers } from "./base-users.tsx";
import { CreateBaseDialog } from "./create-base-dialog.tsx";
import { DeleteBaseDialog, EditBaseDialog } from "./base-dialogs.tsx";
import { baseUsersQuery, knowledgeBasesQuery } from "./knowledge-bases.queries.ts";

const route = getRouteApi("/shell/in/knowledge-bases");

/** Documents from which agents answer, in bases. */
export function KnowledgeBasesPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const parley = useParley();
  const bases = useQuery(knowledgeBasesQuery(parley, page));
  const users = useQuery(baseUsersQuery(parley));
  const mayChange = useMay()("updateKnowledgeBase");
  const [isCreating, setCreating] = useState(false);
  const [change, setChange] = useState<BaseChange>();
  const close = (): void => setChange(undefined);
  const create = (
    <Allowed operation="createKnowledgeBase">
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
        New knowledge base
      </Button>
    </Allowed>
  );
  return (
    <>
      <PageHeader
        title="Knowledge bases"
        description="Documents from which your agents answer."
        actions={create}
      />
      <DataTable
        label="Knowledge bases"
        query={bases}
        columns={columnsFor(users.data, mayChange ? setChange : undefined)}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState icon={Library} title="No knowledge bases yet" action={create}>
            Upload price lists, manuals or answers to frequent questions, and choose the knowledge base in an
            agent: it then answers from your documents instead of guessing.
          </EmptyState>
        }
      />
      <CreateBaseDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <EditBaseDialog base={change?.kind === "edit" ? change.base : undefined} onClose={close} />
      <DeleteBaseDialog
        base={change?.kind === "delete" ? change.base : undefined}
        users={users.data?.get(change?.base.id ?? "") ?? []}
        onClose={close}
      />
    </>
  );
}

function columnsFor(
  users: Parameters<typeof BaseUsers>[0]["users"],
  onChange: ((change: BaseChange) => void) | undefined,
): readonly Column<KnowledgeBase>[] {
  return [
    { header: "Name", cell: (base) => <NameCell base={base} /> },
    { header: "Documents", cell: ({ documents }) => documents.toLocaleString("en"), align: "right" },
    {
      header: "Passages",
      cell: ({ passages }) => passages.toLocaleString("en"),
      align: "right",
      visibleFrom: "sm",
    },
    { header: "Used by", cell: ({ id }) => <BaseUsers users={users} baseId={id} />, visibleFrom: "sm" },
    { header: "Created", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
    ...(onChange === undefined
      ? []
      : [
          {
            header: "Actions",
            align: "right" as const,
            cell: (base: KnowledgeBase) => <BaseMenu base={base} onChoose={onChange} />,
          },
        ]),
  ];
}

function NameCell({ base: { id, name, description } }: { base: KnowledgeBase }) {
  return (
    <Stack gap={2}>
      <TextLink
        to="/knowledge-bases/$baseId"
        params={{ baseId: id }}
        fw={600}
        style={{ overflowWrap: "anywhere" }}
      >
        {name}
      </TextLink>
      {description !== null && (
        <Text size="xs" c="dimmed" lineClamp={2} maw={420}>
          {description}
        </Text>
      )}
    </Stack>
  );
}
