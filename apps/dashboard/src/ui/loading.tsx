import { Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PageHeader } from "./page-header.tsx";
import { Problem } from "./problem.tsx";

const WIDTHS = ["100%", "85%", "95%", "70%"];

/** Stands in for lines that are being loaded. */
export function LoadingLines({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <Stack gap="sm" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} height={18} width={WIDTHS[index % WIDTHS.length]} />
      ))}
    </Stack>
  );
}

/** Stands in for a page whose code is being fetched. */
export function LoadingPage() {
  return (
    <Stack>
      <Skeleton height={32} width={220} />
      <LoadingLines lines={6} label="Loading the page" />
    </Stack>
  );
}

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  /** Default: lines. */
  loading?: ReactNode;
  /** Title of the page until the data gives it a better one, if this is the whole page. */
  heading?: string;
}

/** What a query gave, or that it loads, or why it failed with a button to try again. */
export function Loaded<T>({ query, children, loading = <LoadingLines />, heading }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <>
      {heading !== undefined && <PageHeader title={heading} />}
      {query.error === null ? loading : <Problem error={query.error} onRetry={() => void query.refetch()} />}
    </>
  );
}
