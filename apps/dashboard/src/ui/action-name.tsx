import { Text } from "@mantine/core";
import { Fragment } from "react";

/** Name of an operation, such as `updateAgent`, which may break before its capitals. */
export function ActionName({ name }: { name: string }) {
  return (
    <Text size="sm">
      {name.split(/(?=[A-Z])/).map((word, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {word}
        </Fragment>
      ))}
    </Text>
  );
}
