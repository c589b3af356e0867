import type { Speech, TranscriptItem } from "@parley/client";
import { nameOfItem } from "./call-record.rules.ts";
import "./transcript.css";

interface TranscriptProps {
  items: readonly TranscriptItem[];
  /** Text that the agent is speaking. */
  speech: Speech | undefined;
}

/** Transcript of a call in progress; new items are added at its end. */
export function Transcript({ items, speech }: TranscriptProps) {
  const place = speech === undefined ? -1 : items.findIndex(({ startMs }) => startMs > speech.startMs);
  const before = place === -1 ? items : items.slice(0, place);
  const after = place === -1 ? [] : items.slice(place);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
    <div className="transcript" role="log" aria-label="What is said" tabIndex={0}>
      <div className="said-so-far">
        {before.map((item) => (
          <Item key={item.id} item={item} />
        ))}
        {speech !== undefined && (
          <p className="said agent now" aria-hidden="true">
            <span className="who">Agent</span>
            <span>{speech.text}</span>
          </p>
        )}
        {after.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </div>
    </div>
  );
}

function Item({ item }: { item: TranscriptItem }) {
  if (item.type === "message") {
    const isAgent = item.role === "agent";
    return (
      <p className={`said ${isAgent ? "agent" : "user"}`}>
        <span className="who">{isAgent ? "Agent" : "You"}</span>
        <span>
          {item.text}
          {item.interrupted === true && <span className="cut"> (interrupted)</span>}
        </span>
      </p>
    );
  }
  return (
    <p className={`event${item.isError === true ? " failed" : ""}`}>
      <span className="what">{nameOfItem(item)}</span> {item.text}
    </p>
  );
}
