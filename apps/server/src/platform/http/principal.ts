/** Organization and actor of a request. */
export interface Principal {
  organizationId: string;
  isBillingActive: boolean;
  /** Actor as shown in version histories. */
  actor: { type: "api_key"; name: string };
}

/** Resolves the value of `x-api-key`; `undefined` if the key is invalid or no longer valid. */
export type Authenticate = (apiKey: string) => Promise<Principal | undefined>;
