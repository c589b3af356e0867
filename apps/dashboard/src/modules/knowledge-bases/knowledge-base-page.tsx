import type { KnowledgeBase } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useNavigate } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { TabLink, TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { type BaseChange, BaseMenu } from "./base-menu.tsx";
import { DeleteBaseDialog, EditBaseDialog } from "./base-dialogs.tsx";
import { count } from "./document-words.ts";
import { type BaseUser, baseUsersQuery, knowledgeBaseQuery } from "./knowledge-bases.queries.ts";

const route = getRouteApi("/shell/in/knowledge-bases/$baseId");
/** Model of a node without a server that embeds. */
const LOCAL_MODEL = "local/minilm";

const tabs = [
  { to: "/knowledge-bases/$baseId", label: "Documents" },
  { to: "/knowledge-bases/$baseId/search", label: "Try a search" },
] as const;

/** One knowledge base: its documents, and a search to try. */
export function KnowledgeBasePage() {
  const { baseId } = route.useParams();
  const base = useQuery(knowledgeBaseQuery(useParley(), baseId));
  return (
    <Loaded query={base} heading="Knowledge base">
      {(loaded) => <BaseView base={loaded} />}
    </Loaded>
  );
}

function BaseView({ base }: { base: KnowledgeBase }) {
  const { id: baseId, name, description } = base;
  const users = useQuery(baseUsersQuery(useParley())).data?.get(baseId) ?? [];
  const mayChange = useMay()("updateKnowledgeBase");
  const navigate = useNavigate();
  const [change, setChange] = useState<BaseChange>();
  const close = (): void => setChange(undefined);
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            {description !== null && `${description} `}
            {count(base.documents, "document")}, {count(base.passages, "passage")}, embedded by{" "}
            {base.embeddingModel}
            {base.embeddingModel === LOCAL_MODEL && ", which understands English"}. <UsedBy users={users} />
          </>
        }
        actions={mayChange && <BaseMenu base={base} onChoose={setChange} />}
      />
      <nav aria-label="Views of the knowledge base" className="tab-links">
        {tabs.map(({ to, label }) => (
          <TabLink
            key={to}
            to={to}
            params={{ baseId }}
            activeOptions={{ exact: to === "/knowledge-bases/$baseId", includeSearch: false }}
          >
            {label}
          </TabLink>
        ))}
      </nav>
      <Outlet />
      <EditBaseDialog base={change?.kind === "edit" ? base : undefined} onClose={close} />
      <DeleteBaseDialog
        base={change?.kind === "delete" ? base : undefined}
        users={users}
        onClose={close}
        onDeleted={async () => await navigate({ to: "/knowledge-bases" })}
      />
    </>
  );
}

function UsedBy({ users }: { users: readonly BaseUser[] }) {
  if (users.length === 0) return "No agent uses it yet: choose it in an agent, under Knowledge.";
  return (
    <>
      Used by{" "}
      {users.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ", "}
          <TextLink to="/agents/$agentId" params={{ agentId: id }} underline="always">
            {name}
          </TextLink>
        </Fragment>
      ))}
    </>
  );
}
