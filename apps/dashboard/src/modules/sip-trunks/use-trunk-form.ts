import type { SipTrunk, SipTrunkCreate } from "@parley/client";
import { findFault } from "../../ui/schema-field.rules.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { trunkFields } from "./trunk-fields.at-build.ts";

export interface TrunkValues {
  friendlyName: string;
  proxyAddress: string | null;
  transport: SipTrunk["transport"];
  allowedAddresses: string[];
  username: string | null;
  /** Empty: none, or the stored one. */
  password: string;
  isInboundAuthenticated: boolean;
  isRegistrationRequired: boolean;
  isSrtpRequired: boolean;
}

export const emptyTrunk: TrunkValues = {
  friendlyName: "",
  proxyAddress: null,
  transport: null,
  allowedAddresses: [],
  username: null,
  password: "",
  isInboundAuthenticated: false,
  isRegistrationRequired: false,
  isSrtpRequired: false,
};

/** The fields of a trunk that its form changes. */
export function valuesOf(trunk: SipTrunk): TrunkValues {
  const { friendlyName, proxyAddress, transport, allowedAddresses, username } = trunk;
  const { isInboundAuthenticated, isRegistrationRequired, isSrtpRequired } = trunk;
  return {
    friendlyName,
    proxyAddress,
    transport,
    allowedAddresses,
    username,
    password: "",
    isInboundAuthenticated,
    isRegistrationRequired,
    isSrtpRequired,
  };
}

interface TrunkFormOptions {
  initialValues: TrunkValues;
  save: (body: SipTrunkCreate) => Promise<SipTrunk>;
  onSaved: (trunk: SipTrunk) => void | Promise<void>;
}

/** A form of a trunk's fields. A password that is left empty is not sent. */
export function useTrunkForm({ initialValues, save, onSaved }: TrunkFormOptions) {
  return useApiForm<TrunkValues, SipTrunk>({
    initialValues,
    validate: (values) => ({
      friendlyName: findFault(trunkFields.friendlyName, values.friendlyName),
      proxyAddress:
        values.isRegistrationRequired && values.proxyAddress === null
          ? "is required for the registration"
          : findFault(trunkFields.proxyAddress, values.proxyAddress),
      username:
        values.isRegistrationRequired && values.username === null
          ? "is required for the registration"
          : findFault(trunkFields.username, values.username),
    }),
    save: async ({ password, ...values }) => await save({ ...values, ...(password !== "" && { password }) }),
    onSaved,
  });
}
