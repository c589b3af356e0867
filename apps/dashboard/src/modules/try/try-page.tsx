import { Alert, Button } from "@mantine/core";
import type { Parley } from "@parley/client";
import { useMay, useRole } from "../../app/session/allowed.tsx";
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
      <Trial parley={session.parley} />
    </>
  );
}

function Trial({ parley }: { parley: Parley }) {
  const role = useRole();
  const mayCall = useMay()("startTestCall");
  if (role !== undefined && !mayCall)
    return (
      <Alert color="gray" title="Your role may not place test calls">
        It reads agents and calls. Ask an owner or admin of the organization for the role “member”.
      </Alert>
    );
  return <AgentChoice parley={parley} initialAgentId={linkedAgentId} />;
}
