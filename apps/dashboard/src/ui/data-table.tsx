import { Card, Skeleton, Table } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import { type ListPage, Pages } from "./pages.tsx";
import { Problem } from "./problem.tsx";
import "./data-table.css";

const LOADING_ROWS = 6;

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Not shown on screens narrower than this. */
  visibleFrom?: "xs" | "sm" | "md" | "lg";
  align?: "right";
}

interface DataTableProps<Row> {
  /** Name for screen readers, such as "Agents". */
  label: string;
  query: UseQueryResult<ListPage<Row>>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  onPage: (page: number) => void;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
}

/** One page of a list of the API, with the ways to the others. */
export function DataTable<Row>({ label, query, columns, keyOf, onPage, empty }: DataTableProps<Row>) {
  const { data, error } = query;
  if (data === undefined && error !== null)
    return <Problem error={error} onRetry={() => void query.refetch()} />;
  if (data?.total === 0) return <Card withBorder>{empty}</Card>;
  return (
    <>
      <Card withBorder padding={0}>
        <Table.ScrollContainer minWidth={0}>
          <Table
            className="data-table"
            aria-label={label}
            aria-busy={query.isFetching}
            verticalSpacing="sm"
            horizontalSpacing="md"
            highlightOnHover
          >
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ header, visibleFrom, align }) => (
                  <Table.Th key={header} visibleFrom={visibleFrom} ta={align}>
                    {header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data === undefined ? (
                <LoadingRows columns={columns} />
              ) : (
                data.data.map((row) => <DataRow key={keyOf(row)} row={row} columns={columns} />)
              )}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
      {data !== undefined && <Pages label={label} list={data} onPage={onPage} />}
    </>
  );
}

/** Drawn again only if its data has changed: lists are loaded again every few seconds. */
const DataRow = memo(function DataRow<Row>({
  row,
  columns,
}: Pick<DataTableProps<Row>, "columns"> & { row: Row }) {
  return (
    <Table.Tr>
      {columns.map(({ header, cell, visibleFrom, align }) => (
        <Table.Td key={header} visibleFrom={visibleFrom} ta={align}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}) as <Row>(props: Pick<DataTableProps<Row>, "columns"> & { row: Row }) => ReactNode;

function LoadingRows<Row>({ columns }: Pick<DataTableProps<Row>, "columns">) {
  return Array.from({ length: LOADING_ROWS }, (_, row) => (
    <Table.Tr key={row}>
      {columns.map(({ header, visibleFrom }) => (
        <Table.Td key={header} visibleFrom={visibleFrom}>
          <Skeleton height={18} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
