import type { CallDetail, TranscriptItem } from "@parley/client";

/** `61_000` → `1:01`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Label of an item that is not speech. */
export function nameOfItem({ type, toolName = "Tool", isError }: TranscriptItem): string {
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
    case "flow":
      return "Flow";
    case "message":
    case "system":
      return "";
  }
}

/** The transcript as text, a line for each item: `0:04 Agent: Hello.` */
export function transcriptText(items: readonly TranscriptItem[], caller = "You:"): string {
  const lines = items.map((item) => {
    const speaker = item.role === "agent" ? "Agent:" : caller;
    const name = item.type === "message" ? speaker : nameOfItem(item);
    const words = `${item.text}${item.interrupted === true ? " (interrupted)" : ""}`;
    return [formatDuration(item.startMs), name, words].filter((part) => part !== "").join(" ");
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Whether nothing more is to come of a call that has ended. */
export function isComplete({ endedAt, recordingStatus }: CallDetail): boolean {
  return endedAt !== null && recordingStatus !== "pending";
}

/** Label and value of what a call's record says about how it ran. */
export function detailsOf(call: CallDetail): (readonly [string, string])[] {
  const { answeredAt, endedAt, configurationRevision, llmName, sttName, ttsName } = call;
  const rows: (readonly [string, string | null])[] = [
    ["Duration", answeredAt && endedAt && formatDuration(Date.parse(endedAt) - Date.parse(answeredAt))],
    ["Revision", configurationRevision?.toString() ?? null],
    ["Language model", llmName],
    ["Recognition", sttName],
    ["Voice", ttsName],
  ];
  return rows.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]));
}

/**
 * URL from which this page plays a recording. A server without a public URL names itself `localhost` in links to its files, and
 * is the one that this page came from.
 */
export function playableUrl(link: string, origin: string): string {
  const url = new URL(link);
  const isOfServer = url.hostname === "localhost" && url.pathname.startsWith("/files/");
  return isOfServer ? `${origin}${url.pathname}${url.search}` : link;
}
