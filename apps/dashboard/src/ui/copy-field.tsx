import { Button, CopyButton, Group, TextInput } from "@mantine/core";

/** A text to be copied, such as a key that is shown once. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <Group align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        readOnly
        value={value}
        style={{ flex: 1 }}
        onFocus={({ target }) => target.select()}
      />
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
