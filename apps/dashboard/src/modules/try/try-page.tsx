import { Button } from "@mantine/core";
import { KeyForm } from "../../app/session/key-form.tsx";
import { linkedAgentId, useSession } from "../../app/session/session.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AgentChoice } from "./agent-choice.tsx";

/** A call with an agent from the browser. A link to it may contain a key and an agent. */
export function TryPage() {
  const session = useSession();
  if (session.state === "signed-out") return <KeyForm session={session} />;
  return (
    <>
      <PageHeader
        title="Try an agent"
        actions={
          <Button variant="subtle" color="gray" onClick={session.signOut}>
            Change key
          </Button>
        }
      />
      <AgentChoice parley={session.parley} initialAgentId={linkedAgentId} />
    </>
  );
}
