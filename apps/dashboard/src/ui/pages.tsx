import { Group, Pagination, Text } from "@mantine/core";

/** A page of a list of the API. */
export interface ListPage<Row> {
  data: readonly Row[];
  page: number;
  pageSize: number;
  total: number;
}

interface PagesProps<Row> {
  label: string;
  list: ListPage<Row>;
  onPage: (page: number) => void;
}

/** Which rows of how many are shown, and the ways to the other pages. */
export function Pages<Row>({ label, list: { data, page, pageSize, total }, onPage }: PagesProps<Row>) {
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
