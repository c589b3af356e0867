import type { KnowledgeDocument } from "@parley/client";

export type DocumentStatus = KnowledgeDocument["status"];

export const documentStatuses = [
  "queued",
  "processing",
  "ready",
  "failed",
] as const satisfies readonly DocumentStatus[];

export const statusWords: Readonly<Record<DocumentStatus, { label: string; color: string }>> = {
  queued: { label: "Waiting", color: "gray" },
  processing: { label: "Being read", color: "blue" },
  ready: { label: "Ready", color: "house" },
  failed: { label: "Failed", color: "red" },
};

export const typeWords: Readonly<Record<KnowledgeDocument["type"], string>> = {
  text: "Text",
  markdown: "Markdown",
  html: "HTML",
  csv: "Table (CSV)",
  pdf: "PDF",
  docx: "Word",
  website: "Website",
};

export const isUnderWay = ({ status }: Pick<KnowledgeDocument, "status">): boolean =>
  status === "queued" || status === "processing";

/** "1 passage", "2,000 passages". */
export function count(number: number, one: string): string {
  return `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
}

const UNITS = ["bytes", "KB", "MB"];

/** A size as people read it: "3.2 MB". */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toLocaleString("en", { maximumFractionDigits: unit > 0 ? 1 : 0 })} ${UNITS[unit]}`;
}

interface Place {
  heading: string;
  page: number | null;
  row: number | null;
  url: string | null;
}

/** Where in its document a passage is: "Returns › Refunds, page 3". Empty if it is at its beginning. */
export function placeOf({ heading, page, row, url }: Place): string {
  const places = [heading, page === null ? "" : `page ${page}`, row === null ? "" : `row ${row}`, url ?? ""];
  return places.filter((place) => place !== "").join(", ");
}
