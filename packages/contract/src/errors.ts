import { type Static, Type } from "typebox";
import { keysOf } from "./keys.ts";

interface ErrorDescription {
  status: number;
  /** Used if the server has no more precise message. */
  message: string;
}

/** Error codes with their HTTP status and default message. */
export const errorCodes = {
  invalid_body: { status: 400, message: "The request body is not valid." },
  invalid_query: { status: 400, message: "The query string is not valid." },
  environment_not_found: { status: 400, message: "The agent has no environment of this name." },
  revision_not_found: { status: 400, message: "The agent has no revision with this number." },
  no_test_cases: { status: 400, message: "The test suite has no matching test case to run." },
  from_number_not_on_trunk: {
    status: 400,
    message: "The caller ID is not one of the phone numbers on the agent's SIP trunk.",
  },
  destination_not_allowed: {
    status: 400,
    message:
      "This destination cannot be called: it is an emergency or premium-rate number, it is on the do-not-call list, or the operator does not allow its country for the organization.",
  },
  unauthorized: {
    status: 401,
    message: "A valid API key in the x-api-key header, or a session cookie, is required.",
  },
  forbidden: {
    status: 403,
    message: "The role of this API key or user does not allow this operation.",
  },
  billing_inactive: { status: 402, message: "The organization's billing is inactive." },
  not_found: { status: 404, message: "Resource not found." },
  method_not_allowed: { status: 405, message: "Method not allowed." },
  request_timeout: { status: 408, message: "The request did not arrive in time. Send it again." },
  call_not_active: { status: 409, message: "The call is not in progress." },
  conversation_not_active: {
    status: 409,
    message: "The conversation has ended, or its channel does not support this operation.",
  },
  call_already_joined: { status: 409, message: "This token has already been used to join its call." },
  call_not_ended: { status: 409, message: "The call has not ended yet." },
  transcript_deleted: {
    status: 409,
    message: "The call's transcript was deleted, so it cannot be analyzed again.",
  },
  call_not_addressable: {
    status: 409,
    message: "The call cannot be controlled: its agent has left, or its node does not answer.",
  },
  environment_builtin: {
    status: 409,
    message: "The production environment cannot be edited. Publish a revision instead.",
  },
  environment_in_use: {
    status: 409,
    message: "Phone numbers are bound to this environment. Bind them to another environment first.",
  },
  in_use: { status: 409, message: "Other resources still use this one. Release them first." },
  environment_limit_reached: {
    status: 409,
    message: "The agent already has the maximum number of environments. Delete one first.",
  },
  restore_target_deleted: {
    status: 409,
    message: "The agent has been deleted. Its revisions can be read but not restored.",
  },
  release_gate_failed: {
    status: 409,
    message:
      "A test suite that is the agent's release gate has not passed on this revision. Run it, and publish then.",
  },
  document_not_website: {
    status: 409,
    message: "The document was uploaded: it has no address to read again.",
  },
  run_not_cancellable: { status: 409, message: "The run has already ended." },
  agent_not_callable: {
    status: 409,
    message: "The agent is disabled or has no SIP trunk. Enable it, or set its sipTrunkId.",
  },
  last_owner: {
    status: 409,
    message: "The organization would have no owner. Make another member owner first.",
  },
  mail_not_configured: {
    status: 409,
    message:
      "The server sends no mail. Ask its operator, who creates a link with: npm run parley -- users reset-password EMAIL",
  },
  agent_in_use: { status: 409, message: "A campaign still uses this agent." },
  publish_mode_auto: {
    status: 409,
    message:
      "The agent's publishMode is auto: every save is already live. Set publishMode to manual to publish revisions.",
  },
  campaign_not_cancellable: { status: 409, message: "The campaign has already ended." },
  campaign_not_editable: { status: 409, message: "The campaign can no longer be changed." },
  campaign_not_startable: { status: 409, message: "The campaign cannot be started." },
  campaign_not_pausable: { status: 409, message: "The campaign is not running." },
  llm_not_configured: {
    status: 409,
    message:
      "No language model is configured. The operator configures one with PARLEY_LLM_BASE_URL, PARLEY_LLM_API_KEY or PARLEY_LLM_GGUF.",
  },
  webhook_not_sent: {
    status: 409,
    message: "The webhook's first attempt has not been made yet. It is sent automatically.",
  },
  idempotency_conflict: {
    status: 409,
    message: "This Idempotency-Key was already used with a different body. Use a new key for a new request.",
  },
  idempotency_in_progress: {
    status: 409,
    message: "A request with this Idempotency-Key is still running. Retry later.",
  },
  agent_changed: {
    status: 409,
    message:
      "The agent was changed after the state that this change is based on. Read it again, and repeat the change.",
  },
  payload_too_large: { status: 413, message: "The request body is too large." },
  unsupported_media_type: { status: 415, message: "The content type must be application/json." },
  session_changed: {
    status: 412,
    message: "The ETag in If-Match is not the session's current one. Send the ETag of the latest response.",
  },
  restore_invalid: { status: 422, message: "The revision does not pass the current validation rules." },
  offer_not_acceptable: {
    status: 422,
    message:
      "The SDP offer is not supported: one audio section with Opus, sending and receiving, is required.",
  },
  precondition_required: { status: 428, message: "The If-Match header is required." },
  limit_reached: {
    status: 409,
    message:
      "The organization has as many of these as its limit allows. Delete one, or ask the operator to raise the limit.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests. Retry after the time in the Retry-After header.",
  },
  headers_too_large: { status: 431, message: "The request's headers and address are too long." },
  internal: { status: 500, message: "Internal server error." },
  provider_unreachable: { status: 502, message: "The provider could not be reached." },
  database_unavailable: {
    status: 503,
    message: "The database is not available. Retry after the time in the Retry-After header.",
  },
  capacity_exceeded: {
    status: 503,
    message: "All nodes are at capacity. Retry after the time in the Retry-After header.",
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errorCodes;

const issueSchema = Type.Object({
  path: Type.String({
    description:
      "Path of the field in the body or query, with names joined by dots. Empty for the whole body.",
    examples: ["voiceSpeed"],
  }),
  message: Type.String({ examples: ["must be <= 2"] }),
});

/** A validation problem in a body or query. */
export type Issue = Static<typeof issueSchema>;

export const errorSchema = Type.Object(
  {
    error: Type.Enum(keysOf(errorCodes), { description: "Machine-readable error code." }),
    message: Type.String({ description: "Human-readable message. Not stable." }),
    details: Type.Optional(Type.Object({ issues: Type.Array(issueSchema) })),
  },
  { title: "Error", description: "Body of every error response." },
);

export type ErrorBody = Static<typeof errorSchema>;
