import { UnstyledButton } from "@mantine/core";
import type { TestEvidence, TranscriptItem } from "@parley/client";
import { Fragment, memo } from "react";
import { formatSeconds } from "./call-words.ts";
import { TextLink } from "../../ui/links.tsx";
import { placeOf } from "../knowledge-bases/document-words.ts";
import { readableJson } from "../../ui/json-text.rules.ts";
import { splitByQuotes } from "./quotes.rules.ts";
import "./transcript-lines.css";

interface TranscriptLinesProps {
  items: readonly TranscriptItem[];
  /** Name of the side that is not the agent. */
  otherRole: string;
  /** The item that is heard now. */
  currentId?: string | undefined;
  /** Absent: lines cannot be clicked. */
  onSeek?: ((startMs: number) => void) | undefined;
  /** Quotes to mark. */
  evidence?: readonly TestEvidence[];
}

/** A transcript, each item a line with its time; tool calls with arguments and answers. */
export function TranscriptLines(props: TranscriptLinesProps) {
  const { items, otherRole, currentId, onSeek, evidence = [] } = props;
  return (
    <ol className="transcript-lines">
      {items.map((item) => (
        <Line
          key={item.id}
          item={item}
          otherRole={otherRole}
          isCurrent={item.id === currentId}
          onSeek={onSeek}
          quotes={evidence.flatMap(({ itemId, quote }) => (itemId === item.id ? [quote] : [])).join("\n")}
        />
      ))}
    </ol>
  );
}

interface LineProps {
  item: TranscriptItem;
  otherRole: string;
  isCurrent: boolean;
  onSeek: TranscriptLinesProps["onSeek"];
  /** One a line: a text, so that the line is drawn again only if they change. */
  quotes: string;
}

const Line = memo(function Line({ item, otherRole, isCurrent, onSeek, quotes }: LineProps) {
  const time = formatSeconds(item.startMs / 1000);
  return (
    <li
      className={`line ${item.role ?? "event"}`}
      aria-current={isCurrent ? "true" : undefined}
      data-id={item.id}
      data-evidence={quotes === "" ? undefined : true}
    >
      {onSeek === undefined ? (
        <span className="line-time">{time}</span>
      ) : (
        <UnstyledButton
          className="line-time"
          aria-label={`Play from ${time}`}
          onClick={() => onSeek(item.startMs)}
        >
          {time}
        </UnstyledButton>
      )}
      <div className="line-words">
        {item.type === "message" ? (
          <Message item={item} otherRole={otherRole} quotes={quotes} />
        ) : (
          <Event item={item} />
        )}
      </div>
    </li>
  );
});

function Message({ item, otherRole, quotes }: Pick<LineProps, "item" | "otherRole" | "quotes">) {
  const { role, text, interrupted, knowledge = [] } = item;
  return (
    <Fragment>
      <strong className="line-who">{role === "agent" ? "Agent" : otherRole}</strong>
      <span>
        {splitByQuotes(text, quotes.split("\n")).map(({ words, isQuoted }, index) =>
          isQuoted ? <mark key={index}>{words}</mark> : words,
        )}
        {interrupted === true && <em className="line-cut"> (interrupted)</em>}
        {knowledge.length > 0 && <Sources passages={knowledge} />}
      </span>
    </Fragment>
  );
}

/** Passages of knowledge bases that the model was given for a message, behind their number. */
function Sources({ passages }: { passages: NonNullable<TranscriptItem["knowledge"]> }) {
  return (
    <details className="tool">
      <summary>
        {passages.length} {passages.length === 1 ? "passage" : "passages"} of knowledge
      </summary>
      {passages.map(({ knowledgeBaseId: baseId, documentId, documentName, text, score, ...place }) => (
        <div key={`${documentId} ${text}`}>
          <TextLink
            to="/knowledge-bases/$baseId/documents/$documentId"
            params={{ baseId, documentId }}
            underline="always"
          >
            {documentName}
          </TextLink>
          {placeOf(place) !== "" && ` › ${placeOf(place)}`} ({score.toFixed(2)})<pre>{text}</pre>
        </div>
      ))}
    </details>
  );
}

type EventType = Exclude<TranscriptItem["type"], "message" | "tool_call" | "tool_result">;

const eventNames: Readonly<Record<EventType, string>> = {
  instruction: "Instruction",
  dtmf: "Keypad",
  transfer: "Transfer",
  flow: "Flow",
  system: "System",
};

function Event({ item }: { item: TranscriptItem }) {
  const { type, text, toolName = "a tool", isError, direction } = item;
  if (type === "message") return null;
  if (type === "tool_call" || type === "tool_result") {
    const failed = isError === true;
    return (
      <details className={failed ? "tool failed" : "tool"}>
        <summary>
          {type === "tool_call" ? "Calls " : failed ? "Failed: " : "Answer of "}
          <code>{toolName}</code>
        </summary>
        <pre>{readableJson(text)}</pre>
      </details>
    );
  }
  const side = type === "dtmf" && direction === "sent" ? "Keypad, sent" : eventNames[type];
  return (
    <span className="line-event">
      <strong>{side}</strong> {text}
    </span>
  );
}
