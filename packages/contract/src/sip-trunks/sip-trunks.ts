import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const fields = {
  friendlyName: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "\\S",
    description: "Display name.",
    examples: ["Main carrier"],
  }),
  proxyAddress: nullable(
    Type.String({
      minLength: 1,
      maxLength: 260,
      description:
        "Address of the carrier for outbound calls: host name or IP address, optionally with `:port`. Default port: from DNS, " +
        "else 5060 (TLS: 5061). Null: the trunk is for inbound calls only.",
      examples: ["sip.carrier.example:5060"],
    }),
  ),
  transport: nullableEnum(["udp", "tcp", "tls"], {
    description:
      "Transport of outbound calls. Null: chosen from the DNS records of the host name (NAPTR, SRV; RFC 3263), else UDP.",
  }),
  allowedAddresses: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 100,
    description:
      "IP addresses and CIDR blocks from which calls on this trunk are accepted, in addition to the hosts of " +
      "`proxyAddress`. Empty: calls are accepted from the hosts of `proxyAddress` only or, if it is null, from every address.",
    examples: [["203.0.113.0/24"]],
  }),
  username: nullable(
    Type.String({ minLength: 1, maxLength: 128, description: "User name for digest authentication." }),
  ),
  isInboundAuthenticated: Type.Boolean({
    description: "Whether inbound calls must authenticate with `username` and `password` (digest).",
  }),
  isRegistrationRequired: Type.Boolean({
    description:
      "Whether Parley registers `username` with `password` at `proxyAddress` and keeps the registration alive. Set it if the " +
      "carrier sends calls only to registered users.",
  }),
  isSrtpRequired: Type.Boolean({
    description:
      "Whether audio must be encrypted with SRTP (keys by RFC 4568). `true`: outbound calls offer only SRTP, and inbound " +
      "calls without it are rejected with 488. `false`: outbound calls offer plain RTP, and inbound calls get SRTP if they " +
      "offer it. The keys are part of the signaling: use `tls`.",
  }),
};

const passwordSchema = nullable(
  Type.String({
    minLength: 1,
    maxLength: 256,
    writeOnly: true,
    description: "Password of `username` for digest authentication. Stored encrypted, never returned.",
  }),
);

const healthTexts = {
  reason: nullable(
    Type.String({ description: "Reason of the state. Null: no problem.", examples: ["no answer"] }),
  ),
  since: nullable({ ...timestampSchema, description: "Time of the last state change." }),
};

const healthSchema = Type.Object(
  {
    state: Type.Enum(["unknown", "up", "down"], {
      description:
        "Whether `proxyAddress` answers OPTIONS requests, sent about twice a minute. `down`: two requests in a row got no " +
        "answer. `unknown`: no request was sent yet, or no `proxyAddress` is set.",
    }),
    ...healthTexts,
    registration: Type.Object({
      state: Type.Enum(["none", "registering", "registered", "failed"], {
        description:
          "State of the registration. `none`: `isRegistrationRequired` is false, or registration has not started yet.",
      }),
      ...healthTexts,
    }),
  },
  { title: "SipTrunkHealth" },
);

export type SipTrunkHealth = Static<typeof healthSchema>;

export const sipTrunkSchema = Type.Object(
  {
    id: idSchema,
    ...fields,
    hasPassword: Type.Boolean({ description: "Whether a password is stored." }),
    health: healthSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "SipTrunk", description: "Connection to a carrier or a PBX." },
);

export type SipTrunk = Static<typeof sipTrunkSchema>;

/** Optional fields; null is their default. */
const optionalFields = {
  proxyAddress: Type.Optional(fields.proxyAddress),
  transport: Type.Optional(fields.transport),
  allowedAddresses: Type.Optional(nullable(fields.allowedAddresses)),
  username: Type.Optional(fields.username),
  password: Type.Optional(passwordSchema),
  isInboundAuthenticated: Type.Optional(nullable(fields.isInboundAuthenticated)),
  isRegistrationRequired: Type.Optional(nullable(fields.isRegistrationRequired)),
  isSrtpRequired: Type.Optional(nullable(fields.isSrtpRequired)),
};

/** Read-only fields, so that what GET gave can be sent. */
const ignoredFields = {
  id: ignored,
  hasPassword: ignored,
  health: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

const createSchema = closedObject(
  { friendlyName: fields.friendlyName, ...optionalFields, ...ignoredFields },
  { title: "SipTrunkCreate" },
);
const updateSchema = closedObject(
  {
    friendlyName: Type.Optional(fields.friendlyName),
    ...optionalFields,
    ...ignoredFields,
  },
  { title: "SipTrunkUpdate" },
);

export type SipTrunkCreate = Static<typeof createSchema>;
export type SipTrunkUpdate = Static<typeof updateSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the trunk." } });

const checkStepSchema = Type.Object(
  {
    step: Type.Enum(["dns", "connection", "tls", "options", "registration"]),
    result: Type.Enum(["ok", "failed", "skipped"]),
    problem: nullableEnum(
      [
        "not_configured",
        "transport_not_available",
        "name_not_found",
        "address_not_allowed",
        "connection_refused",
        "unreachable",
        "no_answer",
        "tls_failed",
        "certificate_untrusted",
        "certificate_wrong_name",
        "credentials_refused",
        "forbidden",
        "not_found",
        "unavailable",
        "refused",
      ],
      { description: "Machine-readable cause. Null: the step did not fail." },
    ),
    message: Type.String({
      description: "Human-readable result. Not stable.",
      examples: ["203.0.113.7:5060 answered OPTIONS with 200 OK."],
    }),
    durationMs: Type.Integer({ description: "Duration in milliseconds." }),
  },
  { title: "SipTrunkCheckStep" },
);

const checkSchema = Type.Object(
  {
    isOk: Type.Boolean({ description: "Whether all steps succeeded or were skipped." }),
    message: Type.String({ description: "Human-readable summary. Not stable." }),
    checkedAt: timestampSchema,
    durationMs: Type.Integer({ description: "Duration of all steps in milliseconds." }),
    steps: Type.Array(checkStepSchema, {
      description:
        "Steps in order. Steps that do not apply, or that cannot run after a failure, are skipped.",
    }),
  },
  { title: "SipTrunkCheck", description: "Result of a connection check of a trunk." },
);

export type SipTrunkCheck = Static<typeof checkSchema>;
export type SipTrunkCheckStep = Static<typeof checkStepSchema>;

export const createSipTrunkRoute = defineRoute({
  method: "POST",
  path: "/sip-trunks",
  operationId: "createSipTrunk",
  tag: "SIP trunks",
  summary: "Create a SIP trunk",
  description: "A `proxyAddress` that is neither an IP address nor a resolvable host name is rejected.",
  body: createSchema,
  status: 201,
  response: dataOf(sipTrunkSchema),
  errors: ["limit_reached"],
});

export const listSipTrunksRoute = defineRoute({
  method: "GET",
  path: "/sip-trunks",
  operationId: "listSipTrunks",
  tag: "SIP trunks",
  summary: "List SIP trunks",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(sipTrunkSchema),
});

export const getSipTrunkRoute = defineRoute({
  method: "GET",
  path: "/sip-trunks/{id}",
  operationId: "getSipTrunk",
  tag: "SIP trunks",
  summary: "Get a SIP trunk",
  params,
  status: 200,
  response: dataOf(sipTrunkSchema),
});

export const updateSipTrunkRoute = defineRoute({
  method: "PATCH",
  path: "/sip-trunks/{id}",
  operationId: "updateSipTrunk",
  tag: "SIP trunks",
  summary: "Change a SIP trunk",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(sipTrunkSchema),
});

export const deleteSipTrunkRoute = defineRoute({
  method: "DELETE",
  path: "/sip-trunks/{id}",
  operationId: "deleteSipTrunk",
  tag: "SIP trunks",
  summary: "Delete a SIP trunk",
  description:
    "Rejected with `in_use` while agents use the trunk or phone numbers are on it. With `force=true` its phone numbers are " +
    "deleted with it, and its agents are left without a trunk.",
  params,
  query: closedObject({
    force: Type.Optional(
      Type.Boolean({ description: "Whether to delete a trunk that is in use. Default: false." }),
    ),
  }),
  errors: ["in_use"],
  status: 200,
  response: deletedResponse,
});

export const checkSipTrunkRoute = defineRoute({
  method: "POST",
  path: "/sip-trunks/{id}/check",
  operationId: "checkSipTrunk",
  tag: "SIP trunks",
  summary: "Check a SIP trunk",
  description:
    "Checks the way of a call to `proxyAddress` step by step: DNS, the TCP and TLS connection if the transport has one, " +
    "OPTIONS, and, if `isRegistrationRequired` is set, a REGISTER that verifies the credentials without changing the " +
    "registration. Takes at most about 10 seconds. A trunk that is down is not an error: the result is in the steps. " +
    "Returns `rate_limited` if too many checks are running.",
  params,
  status: 200,
  response: dataOf(checkSchema),
  errors: ["rate_limited"],
});
