import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { auth } from "../../app/session/auth.ts";
import { useIdentity, useSession } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.ts";

/** Ends the user's own membership in the organization. */
export function LeaveButton() {
  const session = useSession();
  const identity = useIdentity();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const name = identity?.organization?.name ?? "the organization";
  const leave = async (): Promise<void> => {
    await auth("DELETE", "/session/organization");
    toast.done(`You have left ${name}.`);
    if (session.state === "signed-in") await session.refresh();
    await navigate({ to: "/" });
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Leave
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Leave ${name}?`}
        confirm="Leave"
        onConfirm={leave}
      >
        You no longer see its agents and calls. To come back you need an invitation. API keys that you made go
        on working.
      </ConfirmDialog>
    </>
  );
}
