import { Button } from "@mantine/core";
import type { TestSuite } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Allowed, Editable } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { SuiteForm } from "./suite-form.tsx";
import { suiteQuery } from "./test-suites.queries.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId");

export function SuiteSettingsTab() {
  const { suiteId } = route.useParams();
  const suite = useQuery(suiteQuery(useParley(), suiteId));
  return <Loaded query={suite}>{(loaded) => <Settings suite={loaded} />}</Loaded>;
}

function Settings({ suite }: { suite: TestSuite }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { id, totalTests: _count, createdAt: _created, updatedAt: _updated, ...values } = suite;
  return (
    <Editable operation="updateTestSuite" what="this test suite">
      <SuiteForm
        initial={values}
        action="Save"
        save={async (changed) => await parley.updateTestSuite(id, changed)}
        onSaved={async () => {
          await queryClient.invalidateQueries({ queryKey: ["test-suites"] });
          toast.done("The test suite is saved.");
        }}
      >
        <Allowed operation="deleteTestSuite">
          <Deletion suite={suite} />
        </Allowed>
      </SuiteForm>
    </Editable>
  );
}

function Deletion({ suite: { id, name } }: { suite: TestSuite }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await parley.deleteTestSuite(id);
    toast.done(`${name} is deleted.`);
    await navigate({ to: "/test-suites" });
    queryClient.removeQueries({ queryKey: ["test-suites", id] });
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
        title={`Delete the test suite ${name}?`}
        confirm="Delete"
        onConfirm={remove}
      >
        Its cases and runs are deleted, and runs in progress end. Calls and conversations of its runs stay.
      </ConfirmDialog>
    </>
  );
}
