import type { Turn } from "@parley/client";
import { formatMs, medianOf, scaleOf, segmentsOf } from "./latency.rules.ts";
import { Swatch, TurnBar } from "./turn-bar.tsx";
import "./latency.css";

/** How long each answer took, newest first, and in which of its steps. */
export function Latency({ turns }: { turns: readonly Turn[] }) {
  const medianMs = medianOf(turns);
  const scaleMs = scaleOf(turns);
  return (
    <section className="card latency" aria-labelledby="latency-title">
      <header>
        <h2 id="latency-title">Time to answer</h2>
        {medianMs !== undefined && <p className="hint">Median {formatMs(medianMs)}</p>}
      </header>
      {turns.length === 0 ? (
        <p className="hint">Time from the end of your speech to the first sound of each answer.</p>
      ) : (
        <ol reversed>
          {turns.toReversed().map((turn, index) => (
            <Answer key={turn.id} turn={turn} scaleMs={scaleMs} isNewest={index === 0} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Answer({ turn, scaleMs, isNewest }: { turn: Turn; scaleMs: number; isNewest: boolean }) {
  const segments = segmentsOf(turn);
  return (
    <li>
      <details open={isNewest}>
        <summary>
          <TurnBar segments={segments} scaleMs={scaleMs} />
          <span className="value">{turn.totalMs === null ? "–" : formatMs(turn.totalMs)}</span>
        </summary>
        <dl>
          {segments.map(({ label, color, ms }) => (
            <div key={label}>
              <dt>
                <Swatch color={color} />
                {label}
              </dt>
              <dd>{formatMs(ms)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}
