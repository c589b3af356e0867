import { Alert } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { ButtonLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { otherSideOf } from "../../calls/call-words.ts";
import { callQuery } from "../../calls/calls.queries.ts";
import { CaseForm } from "./case-form.tsx";
import { caseOfTranscript, type CaseValues, emptyCase } from "./case-values.rules.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId/new-case");

/** A case from nothing, or one that repeats what was said in a call. */
export function NewCasePage() {
  const { callId } = route.useSearch();
  if (callId === undefined) return <NewCase initial={emptyCase()} />;
  return <CaseOfCall key={callId} callId={callId} />;
}

function CaseOfCall({ callId }: { callId: string }) {
  const call = useQuery(callQuery(useParley(), callId));
  return (
    <Loaded query={call} heading="New test case">
      {(loaded) => (
        <NewCase
          initial={caseOfTranscript(`Call with ${otherSideOf(loaded)}`, loaded.transcript)}
          note="The lines are what the other side said in the call. Say what the agent must do this time."
        />
      )}
    </Loaded>
  );
}

function NewCase({ initial, note }: { initial: CaseValues; note?: string }) {
  const { suiteId } = route.useParams();
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="New test case" description="What a caller says, and what the agent must do." />
      {note !== undefined && <Alert mb="md" maw={820} title={note} />}
      <CaseForm
        initial={initial}
        action="Create case"
        save={async (body) => await parley.createTestCase(suiteId, body)}
        onSaved={async () => {
          await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
          await navigate({ to: "/test-suites/$suiteId", params: { suiteId } });
        }}
      >
        <ButtonLink variant="default" to="/test-suites/$suiteId" params={{ suiteId }}>
          Cancel
        </ButtonLink>
      </CaseForm>
    </>
  );
}
