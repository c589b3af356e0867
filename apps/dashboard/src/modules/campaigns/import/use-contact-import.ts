import type { CampaignContactInput, ContactCheckResult, Parley } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { type ImportedContact, joinChecks, slicesOf, toInputs } from "./checked-contacts.rules.ts";
import {
  type ColumnUse,
  type FileContact,
  findColumnFault,
  guessColumns,
  toContacts,
} from "./columns.rules.ts";
import type { CsvFile } from "./csv-file.ts";

/** Contacts of one request. */
export const MAX_CONTACTS = 10_000;
/** Of a number or a time zone. */
const MAX_TEXT_CHARACTERS = 64;

/** Counts how often rows were read: they are too large to be the key of their check. */
let readings = 0;

/** A file of contacts on its way into a campaign. */
export interface ContactImport {
  file: CsvFile | undefined;
  /** Replaces the file; `undefined` removes it. */
  setFile: (file: CsvFile | undefined) => void;
  columns: readonly ColumnUse[];
  setColumns: (columns: readonly ColumnUse[]) => void;
  columnFault: string | undefined;
  /** Country of numbers without a country code; empty: none. `undefined` until the server has chosen one. */
  country: string | undefined;
  setCountry: (country: string) => void;
  isGuessing: boolean;
  setGuessing: (isGuessing: boolean) => void;
  /** Whether contacts with problems are left out. */
  isLeavingOut: boolean;
  setLeavingOut: (isLeavingOut: boolean) => void;
  isChecking: boolean;
  error: Error | null;
  retry: () => void;
  /** `undefined` until they are checked. */
  contacts: readonly ImportedContact[] | undefined;
  /** What can be sent now: empty while there is a problem that is not left out. */
  inputs: readonly CampaignContactInput[];
}

export function useContactImport(): ContactImport {
  const parley = useParley();
  const [file, setFile] = useState<CsvFile>();
  const [columns, setColumns] = useState<readonly ColumnUse[]>([]);
  const [chosenCountry, setCountry] = useState<string>();
  const [isGuessing, setGuessing] = useState(true);
  const [isLeavingOut, setLeavingOut] = useState(false);
  const columnFault = file && findColumnFault(columns);
  const isReadable = file !== undefined && columnFault === undefined;
  const { rows, key } = useMemo(
    () => ({ rows: isReadable ? toContacts(file, columns) : [], key: ++readings }),
    [isReadable, file, columns],
  );
  const check = useQuery({
    queryKey: ["campaigns", "contact-check", key, chosenCountry],
    queryFn: async ({ signal }) => await checkAll(parley, rows, chosenCountry, signal),
    enabled: isReadable,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const contacts = useMemo(
    () => (isReadable && check.data !== undefined ? joinChecks(rows, check.data.contacts) : undefined),
    [isReadable, rows, check.data],
  );
  const inputs = useMemo(() => {
    const hasProblem = contacts?.some(({ problem }) => problem !== undefined) === true;
    return contacts === undefined || (hasProblem && !isLeavingOut) ? [] : toInputs(contacts, isGuessing);
  }, [contacts, isGuessing, isLeavingOut]);
  return {
    file,
    setFile: (next) => {
      setFile(next);
      setColumns(next === undefined ? [] : guessColumns(next));
      setLeavingOut(false);
    },
    columns,
    setColumns,
    columnFault,
    country: chosenCountry ?? (check.data && (check.data.defaultCountry ?? "")),
    setCountry,
    isGuessing,
    setGuessing,
    isLeavingOut,
    setLeavingOut,
    isChecking: check.isFetching,
    error: check.error,
    retry: () => void check.refetch(),
    contacts,
    inputs,
  };
}

async function checkAll(
  parley: Parley,
  rows: readonly FileContact[],
  country: string | undefined,
  signal: AbortSignal,
): Promise<ContactCheckResult> {
  const all: ContactCheckResult = { defaultCountry: null, contacts: [] };
  for (const slice of slicesOf(rows, MAX_CONTACTS)) {
    // Longer texts are no numbers and no time zones either.
    const contacts = slice.map(({ toNumber, timezone }) => ({
      toNumber: toNumber.slice(0, MAX_TEXT_CHARACTERS),
      timezone: timezone?.slice(0, MAX_TEXT_CHARACTERS) ?? null,
    }));
    const chosen = country === undefined ? {} : { defaultCountry: country === "" ? null : country };
    const checked = await parley.checkContacts({ contacts, ...chosen }, { signal });
    all.defaultCountry = checked.defaultCountry;
    all.contacts.push(...checked.contacts);
  }
  return all;
}
