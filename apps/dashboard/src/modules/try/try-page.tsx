import { Button } from "@mantine/core";
import { linkedAgentId, useSession } from "../../app/session/session.tsx";
import { SignIn } from "../../app/session/sign-in.tsx";
import { LoadingPage } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AgentChoice } from "./agent-choice.tsx";

/** A call with an agent from the browser. A link to it may contain a key and an agent. */
export function TryPage() {
  const session = useSession();
  if (session.state === "unknown") return <LoadingPage />;
  if (session.state === "signed-out") return <SignIn session={session} />;
  return (
    <>
      <PageHeader
        title="Try an agent"
        actions={
          session.identity === undefined && (
            <Button variant="subtle" color="gray" onClick={session.signOut}>
              Change key
            </Button>
          )
        }
      />
      <AgentChoice parley={session.parley} initialAgentId={linkedAgentId} />
    </>
  );
}
