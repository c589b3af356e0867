import { Text } from "@mantine/core";
import { ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <Text mb="md">Nothing is at this address. The link may be wrong, or what it showed was deleted.</Text>
      <ButtonLink to="/">To the start page</ButtonLink>
    </>
  );
}
