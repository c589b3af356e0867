import { Card, Group, Pagination, Skeleton, Table, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";

const LOADING_ROWS = 6;

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Not shown on screens narrower than this. */
  visibleFrom?: "xs" | "sm" | "md" | "lg";
  align?: "right";
}

interface ListPage<Row> {
  data: readonly Row[];
  page: number;
  pageSize: number;
  total: number;
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
                data.data.map((row) => (
                  <Table.Tr key={keyOf(row)}>
                    {columns.map(({ header, cell, visibleFrom, align }) => (
                      <Table.Td key={header} visibleFrom={visibleFrom} ta={align}>
                        {cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
              )}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
      {data !== undefined && <Pages label={label} list={data} onPage={onPage} />}
    </>
  );
}

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

interface PagesProps<Row> {
  label: string;
  list: ListPage<Row>;
  onPage: (page: number) => void;
}

function Pages<Row>({ label, list: { data, page, pageSize, total }, onPage }: PagesProps<Row>) {
  const first = (page - 1) * pageSize + 1;
  const pages = Math.ceil(total / pageSize);
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {data.length === 0 ? `Page ${page} is empty` : `${first}–${first + data.length - 1} of ${total}`}
      </Text>
      {(pages > 1 || page > 1) && (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={onPage}
          aria-label={`Pages of ${label}`}
          getControlProps={(control) => ({ "aria-label": `${control} page` })}
          getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
        />
      )}
    </Group>
  );
}
