import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedSchema,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";

const fields = {
  friendlyName: Type.String({ minLength: 1, maxLength: 128, pattern: "\\S", examples: ["Main carrier"] }),
  proxyAddress: nullable(
    Type.String({
      minLength: 1,
      maxLength: 260,
      description:
        "Where the carrier takes our calls: host name or IP address, with `:port` where the DNS does not say it and it is " +
        "not 5060 (5061 for TLS).",
      examples: ["sip.carrier.example:5060"],
    }),
  ),
  transport: nullableEnum(["udp", "tcp", "tls"], {
    description:
      "What our calls go by. Null: what the DNS says for the host name (NAPTR, SRV; RFC 3263), else UDP.",
  }),
  allowedAddresses: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 100,
    description:
      "IP addresses and CIDR blocks that calls of this trunk may come from; the hosts of `proxyAddress` may call as " +
      "well. Empty: from anywhere.",
    examples: [["203.0.113.0/24"]],
  }),
  username: nullable(
    Type.String({ minLength: 1, maxLength: 128, description: "For digest authentication." }),
  ),
  isInboundAuthenticated: Type.Boolean({
    description:
      "Whether callers on this trunk must prove `username` and `password` by digest authentication.",
  }),
  isRegistrationRequired: Type.Boolean({
    description:
      "Whether the carrier sends calls only to who has registered: the platform then registers `username` at " +
      "`proxyAddress`, with `password`, and keeps it so.",
  }),
  isSrtpRequired: Type.Boolean({
    description:
      "Whether audio must be encrypted (SRTP, keys by RFC 4568): our calls offer nothing else, and a call without it is " +
      "refused with 488. Otherwise a caller who offers SRTP gets it, and our calls offer plain RTP. The keys are in the " +
      "signalling: use `tls`.",
  }),
};

const passwordSchema = nullable(
  Type.String({
    minLength: 1,
    maxLength: 256,
    writeOnly: true,
    description: "Stored encrypted, never returned.",
  }),
);

const healthTexts = {
  reason: nullable(
    Type.String({ description: "Why, in words, where it is not well.", examples: ["no answer"] }),
  ),
  since: nullable({ ...timestampSchema, description: "When this came to be so." }),
};

const healthSchema = Type.Object(
  {
    state: Type.Enum(["unknown", "up", "down"], {
      description:
        "Whether `proxyAddress` answers OPTIONS, which it is asked about twice a minute; down after two that it does not " +
        "answer. Unknown: not asked yet, or there is nothing to ask.",
    }),
    ...healthTexts,
    registration: Type.Object({
      state: Type.Enum(["none", "registering", "registered", "failed"], {
        description: "None: `isRegistrationRequired` is false, or nobody has begun yet.",
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
    hasPassword: Type.Boolean(),
    health: healthSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "SipTrunk", description: "A connection to a telephone carrier or a PBX." },
);

export type SipTrunk = Static<typeof sipTrunkSchema>;

/** The optional fields; null stands for their default. */
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

const createSchema = closedObject(
  { friendlyName: fields.friendlyName, ...optionalFields },
  { title: "SipTrunkCreate" },
);
const updateSchema = closedObject(
  {
    friendlyName: Type.Optional(fields.friendlyName),
    ...optionalFields,
    id: ignored,
    hasPassword: ignored,
    health: ignored,
    createdAt: ignored,
    updatedAt: ignored,
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
      { description: "What programs decide by; null where the step did not fail." },
    ),
    message: Type.String({
      description: "What people read. May change.",
      examples: ["203.0.113.7:5060 answered OPTIONS with 200 OK."],
    }),
    durationMs: Type.Integer(),
  },
  { title: "SipTrunkCheckStep" },
);

const checkSchema = Type.Object(
  {
    isOk: Type.Boolean({ description: "Whether no step failed." }),
    message: Type.String({ description: "What the steps come to." }),
    checkedAt: timestampSchema,
    durationMs: Type.Integer(),
    steps: Type.Array(checkStepSchema, {
      description: "In their order. What cannot be asked after a failure, or need not be, is skipped.",
    }),
  },
  { title: "SipTrunkCheck", description: "What stands between the platform and a trunk, step by step." },
);

export type SipTrunkCheck = Static<typeof checkSchema>;
export type SipTrunkCheckStep = Static<typeof checkStepSchema>;

export const createSipTrunkRoute = defineRoute({
  method: "POST",
  path: "/sip-trunks",
  operationId: "createSipTrunk",
  tag: "SIP trunks",
  summary: "Create a SIP trunk",
  description: "`proxyAddress` must be an IP address or a host name that resolves; otherwise it is refused.",
  body: createSchema,
  status: 201,
  response: dataOf(sipTrunkSchema),
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
  description: "Its phone numbers are deleted with it; its agents are left without a trunk.",
  params,
  status: 200,
  response: deletedSchema,
});

export const checkSipTrunkRoute = defineRoute({
  method: "POST",
  path: "/sip-trunks/{id}/check",
  operationId: "checkSipTrunk",
  tag: "SIP trunks",
  summary: "Check a SIP trunk",
  description:
    "Goes the way of a call to `proxyAddress` and says how far it leads: DNS, TCP and TLS where the transport has them, " +
    "OPTIONS, and for a trunk that registers a REGISTER which shows whether the credentials are taken and changes nothing. " +
    "Takes at most some 10 s. A trunk that is down is no error: the steps tell. `rate_limited` while many checks run.",
  params,
  status: 200,
  response: dataOf(checkSchema),
  errors: ["rate_limited"],
  isAnswerKept: false,
});
