import type { ApiKeyRole, MemberRole } from "@parley/contract";

/** Organization, actor and role of a request. */
export interface Principal {
  organizationId: string;
  isBillingActive: boolean;
  role: MemberRole | ApiKeyRole;
  /** Actor as shown in version histories. */
  actor: { type: "api_key" | "user"; name: string };
  /** Id of the API key or of the user. */
  actorId: string;
}

/** Resolves the value of `x-api-key`; `undefined` if the key is invalid or no longer valid. */
export type Authenticate = (apiKey: string) => Promise<Principal | undefined>;

/**
 * Resolves the header `Cookie`; `undefined` if it contains no valid session. Throws `forbidden` if the session has no
 * active organization.
 */
export type AuthenticateSession = (cookies: string) => Promise<Principal | undefined>;

/** User of a session, for operations that belong to no organization. */
export interface SessionUser {
  id: string;
  name: string;
  isOperator: boolean;
}

/** Resolves the header `Cookie`; `undefined` if it contains no valid session. */
export type FindSessionUser = (cookies: string) => Promise<SessionUser | undefined>;
