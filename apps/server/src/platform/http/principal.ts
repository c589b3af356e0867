/** On whose behalf a request acts. */
export interface Principal {
  organizationId: string;
  isBillingActive: boolean;
  /** As version histories name it. */
  actor: { type: "api_key"; name: string };
}

/** Resolves the value of `x-api-key`; undefined where it is not, or no longer, a key. */
export type Authenticate = (apiKey: string) => Promise<Principal | undefined>;
