import { Fieldset, PasswordInput, Select, SimpleGrid, Stack, TagsInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { explain } from "../../ui/schema-field.rules.ts";
import { SchemaField } from "../../ui/schema-field.tsx";
import { trunkFields } from "./trunk-fields.at-build.ts";
import type { TrunkValues } from "./use-trunk-form.ts";

const AUTOMATIC = "automatic";
const transports = [
  { value: AUTOMATIC, label: "Automatic" },
  { value: "udp", label: "UDP" },
  { value: "tcp", label: "TCP" },
  { value: "tls", label: "TLS" },
];

interface TrunkFormFieldsProps {
  form: UseFormReturnType<TrunkValues>;
  addressExample?: string;
  hasPassword?: boolean;
}

/** All fields of a trunk, in the order in which a carrier gives them. */
export function TrunkFormFields({ form, addressExample, hasPassword = false }: TrunkFormFieldsProps) {
  return (
    <Stack gap="lg">
      <SchemaField form={form} path="friendlyName" schema={trunkFields.friendlyName} label="Name" required />
      <SchemaField
        form={form}
        path="proxyAddress"
        schema={trunkFields.proxyAddress}
        {...(addressExample !== undefined && { placeholder: addressExample })}
      />
      <Fieldset legend="Account">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <SchemaField form={form} path="username" schema={trunkFields.username} label="User name" />
            <PasswordInput
              label="Password"
              description={
                hasPassword
                  ? "A password is stored, encrypted, and is never shown. Empty: unchanged."
                  : explain(trunkFields.password.description)
              }
              autoComplete="new-password"
              visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
              data-path="password"
              {...form.getInputProps("password")}
            />
          </SimpleGrid>
          <Flag form={form} path="isRegistrationRequired" label="Register" />
          <Flag form={form} path="isInboundAuthenticated" label="Authenticate inbound calls" />
        </Stack>
      </Fieldset>
      <Fieldset legend="Signaling and audio">
        <Stack>
          <Transport form={form} />
          <AllowedAddresses form={form} />
          <Flag form={form} path="isSrtpRequired" label="Encrypted audio only" />
        </Stack>
      </Fieldset>
    </Stack>
  );
}

type FieldProps = Pick<TrunkFormFieldsProps, "form">;

interface FlagProps extends FieldProps {
  path: "isRegistrationRequired" | "isInboundAuthenticated" | "isSrtpRequired";
  label: string;
}

function Flag({ form, path, label }: FlagProps) {
  return <SchemaField form={form} path={path} schema={trunkFields[path]} label={label} />;
}

function Transport({ form }: FieldProps) {
  return (
    <Select
      label="Transport"
      description={explain(trunkFields.transport.description).replace("Empty: chosen", "Automatic: chosen")}
      data={transports}
      allowDeselect={false}
      error={form.errors["transport"]}
      value={form.getValues().transport ?? AUTOMATIC}
      onChange={(value) =>
        form.setFieldValue("transport", value === AUTOMATIC ? null : (value as TrunkValues["transport"]))
      }
      data-path="transport"
    />
  );
}

function AllowedAddresses({ form }: FieldProps) {
  const { allowedAddresses } = form.getValues();
  return (
    <TagsInput
      label="Allowed addresses"
      description={explain(trunkFields.allowedAddresses.description).replace(
        "if it is null",
        "if it is empty",
      )}
      placeholder={allowedAddresses.length === 0 ? "203.0.113.0/24" : ""}
      error={form.errors["allowedAddresses"]}
      value={allowedAddresses}
      onChange={(entries) => {
        form.clearErrors();
        form.setFieldValue("allowedAddresses", entries);
      }}
      data-path="allowedAddresses"
    />
  );
}
