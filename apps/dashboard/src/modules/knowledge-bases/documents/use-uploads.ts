import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { messageOf } from "../../../ui/problem.tsx";
import { toast } from "../../../ui/toast.ts";
import { fileExtensions, maxDocumentBytes } from "../document-limits.at-build.ts";
import { count } from "../document-words.ts";
import { findFileProblem } from "./upload.rules.ts";

/** For 20 MiB over a slow line. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** A file that was not sent yet, or could not be. */
export interface Upload {
  key: number;
  file: File;
  state: "waiting" | "sending" | "refused";
  /** Why it was refused. */
  reason?: string;
}

/** Sends files one after the other; those that were sent are in the list of documents. */
export function useUploads(baseId: string) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const lastKey = useRef(0);
  const sending = useRef<Promise<unknown>>(Promise.resolve());
  const change = (key: number, part: Partial<Upload>): void =>
    setUploads((now) => now.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const remove = (key: number): void => setUploads((now) => now.filter((each) => each.key !== key));

  /** Returns whether the file was sent. */
  const send = async ({ key, file }: Upload): Promise<boolean> => {
    change(key, { state: "sending" });
    try {
      const body = { name: file.name.slice(-MAX_NAME_CHARACTERS), document: file };
      await parley.createKnowledgeDocument(baseId, body, { timeoutMs: UPLOAD_TIMEOUT_MS });
      remove(key);
      await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
      return true;
    } catch (error) {
      change(key, { state: "refused", reason: messageOf(error) });
      return false;
    }
  };
  const sendAll = async (accepted: readonly Upload[]): Promise<void> => {
    let sent = 0;
    for (const each of accepted) if (await send(each)) sent++;
    if (sent > 0) toast.done(`${count(sent, "document")} added.`);
  };
  const add = (files: readonly File[]): void => {
    const limits = { maxBytes: maxDocumentBytes, extensions: fileExtensions };
    const added = files.map((file): Upload => {
      lastKey.current += 1;
      const reason = findFileProblem(file, limits);
      const key = lastKey.current;
      return reason === undefined
        ? { key, file, state: "waiting" }
        : { key, file, state: "refused", reason: `${file.name} ${reason}` };
    });
    setUploads((now) => [...now, ...added]);
    const accepted = added.filter(({ state }) => state === "waiting");
    sending.current = sending.current.then(async () => await sendAll(accepted));
  };
  return { uploads, add, remove };
}

const MAX_NAME_CHARACTERS = 200;
