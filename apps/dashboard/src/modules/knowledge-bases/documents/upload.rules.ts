/** Which files the dashboard sends: the others are refused before they are uploaded. */
import { formatBytes } from "../document-words.ts";

interface Limits {
  maxBytes: number;
  /** Without their dots. */
  extensions: readonly string[];
}

/** Extensions of files that can be saved in a type that is read. */
const advice: Readonly<Record<string, string>> = {
  doc: "save it as .docx",
  odt: "save it as .docx",
  rtf: "save it as .docx",
  pages: "export it as .docx or PDF",
  xls: "save its tables as .csv",
  xlsx: "save its tables as .csv",
  ods: "save its tables as .csv",
  ppt: "export it as PDF",
  pptx: "export it as PDF",
  key: "export it as PDF",
};

/** Why a file is not uploaded, and what to do; `undefined` if it is. */
export function findFileProblem(
  { name, size }: { name: string; size: number },
  { maxBytes, extensions }: Limits,
): string | undefined {
  if (size === 0) return "is empty.";
  if (size > maxBytes)
    return `has ${formatBytes(size)}, more than ${formatBytes(maxBytes)}: divide it into several files.`;
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  // Without an extension it is read as text.
  if (extension === "" || extensions.includes(extension)) return undefined;
  return `has a type that cannot be read (.${extension}): ${advice[extension] ?? "save it as text, PDF or .docx"}.`;
}
