import type { Turn } from "@parley/client";
import { formatMs, latencyParts, medianOf, scaleOf } from "./latency.rules.ts";
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
            <li key={turn.id}>
              <details open={index === 0}>
                <summary>
                  <Bar durationMs={turn.totalMs} scaleMs={scaleMs} isWhole />
                </summary>
                <dl>
                  {latencyParts.map(([name, label]) => (
                    <div key={name}>
                      <dt>{label}</dt>
                      <dd>
                        <Bar durationMs={turn[name]} scaleMs={scaleMs} />
                      </dd>
                    </div>
                  ))}
                </dl>
              </details>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

interface BarProps {
  durationMs: number | null;
  scaleMs: number;
  isWhole?: boolean;
}

function Bar({ durationMs, scaleMs, isWhole = false }: BarProps) {
  const share = Math.min(1, (durationMs ?? 0) / scaleMs);
  return (
    <span className={isWhole ? "bar whole" : "bar"}>
      <span className="track" aria-hidden="true">
        {durationMs !== null && <span style={{ width: `${share * 100}%` }} />}
      </span>
      <span className="value">{durationMs === null ? "–" : formatMs(durationMs)}</span>
    </span>
  );
}
