import type { MessagingConnection } from "@parley/client";
import { findFault } from "../../ui/schema-field.rules.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { connectionFields } from "./connection-fields.at-build.ts";

export interface ConnectionValues {
  friendlyName: string | null;
  accountSid: string;
  /** Empty: the stored one. */
  authToken: string;
  messagingServiceSid: string | null;
  messagesPerSecond: number | null;
}

export const emptyConnection: ConnectionValues = {
  friendlyName: null,
  accountSid: "",
  authToken: "",
  messagingServiceSid: null,
  messagesPerSecond: 10,
};

/** The fields of a connection that its form changes. */
export function valuesOf(connection: MessagingConnection): ConnectionValues {
  const { friendlyName, accountSid, messagingServiceSid, messagesPerSecond } = connection;
  return { friendlyName, accountSid, authToken: "", messagingServiceSid, messagesPerSecond };
}

interface ConnectionFormOptions {
  initialValues: ConnectionValues;
  save: (values: ConnectionValues) => Promise<MessagingConnection>;
  onSaved: (connection: MessagingConnection) => void | Promise<void>;
}

export function useConnectionForm({ initialValues, save, onSaved }: ConnectionFormOptions) {
  return useApiForm<ConnectionValues, MessagingConnection>({
    initialValues,
    validate: (values) => ({
      accountSid: findFault(connectionFields.accountSid, values.accountSid),
      authToken:
        values.authToken === "" && values.accountSid !== initialValues.accountSid
          ? "is required with a new account"
          : undefined,
      messagingServiceSid: findFault(connectionFields.messagingServiceSid, values.messagingServiceSid),
    }),
    save,
    onSaved,
  });
}
