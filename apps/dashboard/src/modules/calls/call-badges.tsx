import { Badge } from "@mantine/core";
import type { Call } from "@parley/client";
import Globe from "lucide-react/icons/globe";
import PhoneIncoming from "lucide-react/icons/phone-incoming";
import PhoneOutgoing from "lucide-react/icons/phone-outgoing";
import { statuses } from "./call-words.ts";
import "./calls.css";

export function CallStatusBadge({ call: { status } }: { call: Pick<Call, "status"> }) {
  const { label, color } = statuses[status] ?? { label: status, color: "gray" };
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

/** Inbound, outbound or browser. */
export function DirectionIcon({ call: { channel, direction } }: { call: Call }) {
  const Icon = channel === "web" ? Globe : direction === "inbound" ? PhoneIncoming : PhoneOutgoing;
  const label = channel === "web" ? "Browser call" : direction === "inbound" ? "Inbound" : "Outbound";
  return <Icon size={16} role="img" aria-label={label} className="direction" />;
}
