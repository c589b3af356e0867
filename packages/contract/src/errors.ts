import { type Static, Type } from "typebox";
import { keysOf } from "./keys.ts";

interface ErrorDescription {
  status: number;
  /** What the answer says where nothing more precise is known. */
  message: string;
}

/** Every code that an answer's `error` can hold, with its HTTP status. */
export const errorCodes = {
  invalid_body: { status: 400, message: "The request body is not valid." },
  invalid_query: { status: 400, message: "The query string is not valid." },
  environment_not_found: { status: 400, message: "The agent has no environment of this name." },
  revision_not_found: { status: 400, message: "The agent has no such revision." },
  no_test_cases: { status: 400, message: "There is no test case to run." },
  from_number_not_on_trunk: {
    status: 400,
    message: "The caller ID is not a number of the agent's SIP trunk.",
  },
  destination_not_allowed: {
    status: 400,
    message:
      "This destination may not be called: it is an emergency number, or of a country that is not among the organization's allowedCountries.",
  },
  unauthorized: { status: 401, message: "A valid API key is required in the x-api-key header." },
  billing_inactive: { status: 402, message: "The organization's billing is inactive." },
  not_found: { status: 404, message: "There is nothing here." },
  method_not_allowed: { status: 405, message: "This cannot be done here." },
  call_not_active: { status: 409, message: "The call is not in progress." },
  call_already_joined: { status: 409, message: "The token has already joined its call." },
  call_not_ended: { status: 409, message: "The call has not ended yet." },
  call_not_addressable: { status: 409, message: "No agent is listening on this call." },
  environment_builtin: { status: 409, message: "The production environment changes by publishing only." },
  environment_in_use: {
    status: 409,
    message: "Phone numbers are bound to this environment: bind them to another first.",
  },
  environment_limit_reached: { status: 409, message: "The agent has as many environments as it may have." },
  restore_target_deleted: { status: 409, message: "The agent of this revision was deleted." },
  run_not_cancellable: { status: 409, message: "The run has already ended." },
  agent_not_callable: {
    status: 409,
    message: "The agent is disabled or has no SIP trunk: enable it, or give it one.",
  },
  agent_in_use: { status: 409, message: "A campaign still uses this agent." },
  publish_mode_auto: {
    status: 409,
    message: "In automatic mode every save is live; there is nothing to publish.",
  },
  campaign_not_cancellable: { status: 409, message: "The campaign has already ended." },
  campaign_not_editable: { status: 409, message: "The campaign can no longer be changed." },
  campaign_not_startable: { status: 409, message: "The campaign cannot be started." },
  campaign_not_pausable: { status: 409, message: "The campaign is not running." },
  llm_not_configured: {
    status: 409,
    message: "No language model is configured: the operator can set one up.",
  },
  webhook_not_sent: {
    status: 409,
    message: "The webhook has not been sent for the first time yet: it will be by itself.",
  },
  idempotency_conflict: {
    status: 409,
    message: "This idempotency key was used with another body: another request needs another key.",
  },
  idempotency_in_progress: {
    status: 409,
    message: "A request with this idempotency key is still running: send it again later.",
  },
  payload_too_large: { status: 413, message: "The request body is too large." },
  unsupported_media_type: { status: 415, message: "The content type must be application/json." },
  session_changed: {
    status: 412,
    message: "The ETag is not the session's current one: send that of the latest answer in If-Match.",
  },
  restore_invalid: { status: 422, message: "The revision no longer passes validation." },
  offer_not_acceptable: { status: 422, message: "The offer asks for what Parley does not do." },
  precondition_required: { status: 428, message: "The header If-Match is required." },
  rate_limited: { status: 429, message: "Too many requests: try again later." },
  internal: { status: 500, message: "Something went wrong on our side." },
  provider_unreachable: { status: 502, message: "The provider could not be reached." },
  database_unavailable: { status: 503, message: "The database does not answer at present. Try again soon." },
  capacity_exceeded: { status: 503, message: "No node has a free place for another call." },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errorCodes;

const issueSchema = Type.Object({
  path: Type.String({
    description: "Where in the body or query, names joined by dots; empty for the whole.",
    examples: ["voiceSpeed"],
  }),
  message: Type.String({ examples: ["must be <= 2"] }),
});

/** One thing wrong with a body or query. */
export type Issue = Static<typeof issueSchema>;

export const errorSchema = Type.Object(
  {
    error: Type.Enum(keysOf(errorCodes), { description: "What programs decide by." }),
    message: Type.String({ description: "What people read. May change." }),
    details: Type.Optional(Type.Object({ issues: Type.Array(issueSchema) })),
  },
  { title: "Error", description: "The shape of every answer that is not a success." },
);

export type ErrorBody = Static<typeof errorSchema>;
