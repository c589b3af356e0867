import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { ButtonLink } from "../../../ui/links.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { CaseForm } from "./case-form.tsx";
import { emptyCase } from "./case-values.rules.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId/new-case");

export function NewCasePage() {
  const { suiteId } = route.useParams();
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="New test case" description="What a caller says, and what the agent must do." />
      <CaseForm
        initial={emptyCase()}
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
