import { Card } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Webhook from "lucide-react/icons/webhook";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Deliveries } from "../webhooks/deliveries.tsx";
import { deliveriesQuery } from "./calls.queries.ts";

/** The webhooks of a call with their attempts. */
export function CallWebhooks({ callId }: { callId: string }) {
  const deliveries = useQuery(deliveriesQuery(useParley(), callId));
  return (
    <Loaded query={deliveries}>
      {(all) =>
        all.length === 0 ? (
          <Card withBorder>
            <EmptyState icon={Webhook} title="No webhooks">
              No webhook was sent for this call. An agent with a pre-call or post-call URL sends one for each
              call.
            </EmptyState>
          </Card>
        ) : (
          <Deliveries deliveries={all} />
        )
      }
    </Loaded>
  );
}
