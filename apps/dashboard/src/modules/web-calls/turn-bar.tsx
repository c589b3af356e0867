import type { LatencySegment } from "./latency.rules.ts";
import "./turn-bar.css";

/** The steps of one answer beside each other, as long as they took. Says nothing to screen readers: write them below it. */
export function TurnBar({ segments, scaleMs }: { segments: readonly LatencySegment[]; scaleMs: number }) {
  return (
    <span className="turn-bar" aria-hidden="true">
      {segments.map(({ label, color, ms }) => (
        <span key={label} style={{ width: `${Math.min(100, (100 * ms) / scaleMs)}%`, background: color }} />
      ))}
    </span>
  );
}

/** The color of a step, beside its name. */
export function Swatch({ color }: { color: string }) {
  return <span className="swatch" style={{ background: color }} aria-hidden="true" />;
}
