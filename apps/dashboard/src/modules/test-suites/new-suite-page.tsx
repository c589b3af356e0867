import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useCreateCase } from "./cases/make-case-menu.tsx";
import { SuiteForm } from "./suite-form.tsx";
import { suiteDefaults } from "./test-suite-fields.at-build.ts";

const route = getRouteApi("/shell/in/test-suites/new");

export function NewSuitePage() {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { agentId = "", callId, conversationId } = route.useSearch();
  const createCase = useCreateCase();
  return (
    <>
      <PageHeader
        title="New test suite"
        description="The cases come next. Everything here can be changed later."
      />
      <SuiteForm
        // Text needs no time and no voice: most suites begin with it.
        initial={{ ...suiteDefaults, name: "", agentId, mode: "chat" }}
        action="Create test suite"
        save={async (values) => await parley.createTestSuite(values)}
        onSaved={async ({ id }) => {
          await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
          if (callId !== undefined) await createCase(id, { callId });
          else if (conversationId !== undefined) await createCase(id, { conversationId });
          else await navigate({ to: "/test-suites/$suiteId", params: { suiteId: id } });
        }}
      >
        <ButtonLink variant="default" to="/test-suites">
          Cancel
        </ButtonLink>
      </SuiteForm>
    </>
  );
}
