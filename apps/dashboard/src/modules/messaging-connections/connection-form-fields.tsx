import { PasswordInput, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { explain } from "../../ui/schema-field.rules.ts";
import { SchemaField } from "../../ui/schema-field.tsx";
import { connectionFields } from "./connection-fields.at-build.ts";
import type { ConnectionValues } from "./use-connection-form.ts";

interface ConnectionFormFieldsProps {
  form: UseFormReturnType<ConnectionValues>;
  /** Whether a token is stored. */
  isStored: boolean;
}

/** All fields of a connection, in the order of Twilio's console. */
export function ConnectionFormFields({ form, isStored }: ConnectionFormFieldsProps) {
  return (
    <Stack gap="lg">
      <SchemaField
        form={form}
        path="accountSid"
        schema={connectionFields.accountSid}
        label="Account SID"
        required
      />
      <PasswordInput
        label="Auth token"
        description={
          isStored
            ? "A token is stored, encrypted, and is never shown. Empty: unchanged."
            : explain(connectionFields.authToken.description)
        }
        required={!isStored}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show the auth token" }}
        data-path="authToken"
        {...form.getInputProps("authToken")}
      />
      <SchemaField form={form} path="friendlyName" schema={connectionFields.friendlyName} label="Name" />
      <SchemaField
        form={form}
        path="messagingServiceSid"
        schema={connectionFields.messagingServiceSid}
        label="Messaging service SID"
      />
      <SchemaField
        form={form}
        path="messagesPerSecond"
        schema={connectionFields.messagesPerSecond}
        label="Messages per second"
      />
    </Stack>
  );
}
