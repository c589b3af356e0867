import type { Speech, TranscriptItem } from "@parley/client";
import { useEffect, useRef } from "react";
import "./transcript.css";

interface TranscriptProps {
  items: readonly TranscriptItem[];
  /** What the agent is being heard to say. */
  speech: Speech | undefined;
}

/** What has been said, growing at its end. */
export function Transcript({ items, speech }: TranscriptProps) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [items, speech]);
  // A keyboard that opens on a phone, for example.
  useEffect(() => {
    const resizes = new ResizeObserver(() => {
      if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
    });
    if (list.current !== null) resizes.observe(list.current);
    return () => resizes.disconnect();
  }, []);
  const keepPlace = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = list.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48;
  };
  return (
    <div
      ref={list}
      className="transcript"
      role="log"
      aria-label="What is said"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
      tabIndex={0}
      onScroll={keepPlace}
    >
      {items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
      {speech !== undefined && (
        <p className="said agent now" aria-hidden="true">
          <span className="who">Agent</span>
          <span>{speech.text}</span>
        </p>
      )}
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
      <span className="what">{nameOf(item)}</span> {item.text}
    </p>
  );
}

function nameOf({ type, toolName = "Tool", isError }: TranscriptItem): string {
  switch (type) {
    case "tool_call":
      return `${toolName} called with`;
    case "tool_result":
      return `${toolName} ${isError === true ? "failed:" : "answered"}`;
    case "instruction":
      return "Instruction";
    case "dtmf":
      return "Keypad";
    case "transfer":
      return "Transfer";
    case "message":
    case "system":
      return "";
  }
}
