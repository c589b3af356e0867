import { Button, Group } from "@mantine/core";
import { ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Problem } from "../ui/problem.tsx";

/** What a page shows if it fails: a fault of the page, or of the network while its code is fetched. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const isCodeMissing = error instanceof TypeError && /dynamically imported module/i.test(error.message);
  return (
    <>
      <PageHeader title="This page failed" />
      {isCodeMissing ? (
        <Problem error="The page could not be fetched. The server may have been updated, or cannot be reached. Reload the page." />
      ) : (
        <Problem error={error} />
      )}
      <Group mt="md">
        <Button onClick={() => (isCodeMissing ? location.reload() : reset())}>
          {isCodeMissing ? "Reload" : "Try again"}
        </Button>
        <ButtonLink variant="default" to="/">
          To the start page
        </ButtonLink>
      </Group>
    </>
  );
}
