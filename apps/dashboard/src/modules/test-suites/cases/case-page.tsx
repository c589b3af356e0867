import { Button } from "@mantine/core";
import type { TestCase } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import Play from "lucide-react/icons/play";
import { useState } from "react";
import { Allowed, Editable } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { ButtonLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { toast } from "../../../ui/toast.ts";
import { StartRunDialog } from "../runs/start-run-dialog.tsx";
import { caseQuery, suiteQuery } from "../test-suites.queries.ts";
import { CaseForm } from "./case-form.tsx";
import { valuesOf } from "./case-values.rules.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId/tests/$testId");

export function CasePage() {
  const { suiteId, testId } = route.useParams();
  const testCase = useQuery(caseQuery(useParley(), suiteId, testId));
  return (
    <Loaded query={testCase} heading="Test case">
      {(loaded) => <CaseView key={testId} testCase={loaded} />}
    </Loaded>
  );
}

function CaseView({ testCase }: { testCase: TestCase }) {
  const { id, testSuiteId: suiteId, name } = testCase;
  const parley = useParley();
  const queryClient = useQueryClient();
  return (
    <>
      <PageHeader
        title={name}
        description="What a caller says, and what the agent must do."
        actions={
          <>
            <ButtonLink variant="default" to="/test-suites/$suiteId" params={{ suiteId }}>
              All cases
            </ButtonLink>
            <Allowed operation="startTestRun">
              <RunButton testCase={testCase} />
            </Allowed>
          </>
        }
      />
      <Editable operation="updateTestCase" what="this test case">
        <CaseForm
          initial={valuesOf(testCase)}
          action="Save"
          save={async (body) => await parley.updateTestCase(suiteId, id, body)}
          onSaved={async () => {
            await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
            toast.done("The case is saved.");
          }}
        >
          <Allowed operation="deleteTestCase">
            <Deletion testCase={testCase} />
          </Allowed>
        </CaseForm>
      </Editable>
    </>
  );
}

function RunButton({ testCase: { id, testSuiteId } }: { testCase: TestCase }) {
  const { data: suite } = useQuery(suiteQuery(useParley(), testSuiteId));
  const [isStarting, setStarting] = useState(false);
  return (
    <>
      <Button
        leftSection={<Play size={16} aria-hidden />}
        disabled={suite === undefined}
        onClick={() => setStarting(true)}
      >
        Run this case
      </Button>
      {isStarting && suite !== undefined && (
        <StartRunDialog suite={suite} testCaseIds={[id]} onClose={() => setStarting(false)} />
      )}
    </>
  );
}

function Deletion({ testCase: { id, testSuiteId: suiteId, name } }: { testCase: TestCase }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await parley.deleteTestCase(suiteId, id);
    toast.done(`${name} is deleted.`);
    await navigate({ to: "/test-suites/$suiteId", params: { suiteId } });
    await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
  };
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setAsked(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Delete the case ${name}?`}
        confirm="Delete"
        onConfirm={remove}
      >
        Attempts of earlier runs stay.
      </ConfirmDialog>
    </>
  );
}
