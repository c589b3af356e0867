import { Stack, Text } from "@mantine/core";
import "./diff-view.css";
import type { FieldDiff } from "./field-diff.rules.ts";
import type { DiffLine } from "./text-diff.rules.ts";

/** What differs, field by field: short values before and after, texts by line and word. */
export function DiffView({ diffs, empty }: { diffs: readonly FieldDiff[]; empty: string }) {
  if (diffs.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <Stack gap="lg">
      {diffs.map(({ path, change }) => (
        <section key={path.join("\n")} aria-label={path.join(", ")} className="field-diff">
          <Text component="h3" size="sm" fw={600} mb={6} className="diff-path">
            {path.join(" › ")}
          </Text>
          {change.kind === "value" ? (
            <p className="diff-value">
              {change.before !== "" && (
                <>
                  <del>{change.before}</del>
                  <span aria-hidden>→</span>
                </>
              )}
              <ins>{change.after || "empty"}</ins>
            </p>
          ) : (
            <div className="diff-lines">
              {change.lines.map((line, index) => (
                <Line key={index} line={line} />
              ))}
            </div>
          )}
        </section>
      ))}
    </Stack>
  );
}

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "skipped")
    return (
      <div className="diff-line skipped">
        {line.count} unchanged {line.count === 1 ? "line" : "lines"}
      </div>
    );
  const Element = line.kind === "removed" ? "del" : line.kind === "added" ? "ins" : "div";
  return (
    <Element className={`diff-line ${line.kind}`}>
      <span>
        {line.words.map(({ text, isChanged }, index) =>
          isChanged ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </span>
    </Element>
  );
}
