import { Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { agentQuery } from "../agents.queries.ts";
import { AgentEditor } from "./agent-editor.tsx";

const route = getRouteApi("/shell/in/agents/$agentId");

/** The settings of the agent whose page this is; the page has loaded it. */
export function EditorTab() {
  const { agentId } = route.useParams();
  const { data } = useQuery(agentQuery(useParley(), agentId));
  return data === undefined ? <Loader /> : <AgentEditor key={agentId} agent={data} />;
}
