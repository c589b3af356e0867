import { type Static, Type } from "typebox";
import { defineRoute } from "./route.ts";
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
} from "./schemas.ts";

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
    description: "IP addresses and CIDR blocks that calls of this trunk may come from. Empty: from anywhere.",
    examples: [["203.0.113.0/24"]],
  }),
  username: nullable(
    Type.String({ minLength: 1, maxLength: 128, description: "For digest authentication." }),
  ),
  isInboundAuthenticated: Type.Boolean({
    description:
      "Whether callers on this trunk must prove `username` and `password` by digest authentication.",
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

export const sipTrunkSchema = Type.Object(
  {
    id: idSchema,
    ...fields,
    hasPassword: Type.Boolean(),
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
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "SipTrunkUpdate" },
);

export type SipTrunkCreate = Static<typeof createSchema>;
export type SipTrunkUpdate = Static<typeof updateSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the trunk." } });

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
