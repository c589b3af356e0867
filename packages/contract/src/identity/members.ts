import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";
import { emailSchema } from "./account-fields.ts";
import { memberRoles } from "./roles.ts";

const roleSchema = Type.Enum([...memberRoles], {
  description:
    "`owner`: everything; `admin`: everything but changing owners; `member`: not keys, members and organization settings; `viewer`: no writes.",
  examples: ["member"],
});

const memberSchema = Type.Object(
  {
    id: idSchema,
    userId: idSchema,
    name: Type.String(),
    email: Type.String(),
    role: roleSchema,
    createdAt: timestampSchema,
  },
  { title: "Member", description: "A person in the organization." },
);

export type Member = Static<typeof memberSchema>;

export const listMembersRoute = defineRoute({
  method: "GET",
  path: "/members",
  operationId: "listMembers",
  tag: "Members",
  summary: "List members",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(memberSchema),
});

const memberParams = Type.Object({ id: { ...idSchema, description: "Id of the member." } });

export const updateMemberRoute = defineRoute({
  method: "PATCH",
  path: "/members/{id}",
  operationId: "updateMember",
  tag: "Members",
  role: "admin",
  summary: "Change the role of a member",
  description:
    "Takes effect with the member's next request. Only owners make and change owners; the last owner keeps the role.",
  params: memberParams,
  body: closedObject(
    {
      role: Type.Optional(roleSchema),
      id: ignored,
      userId: ignored,
      name: ignored,
      email: ignored,
      createdAt: ignored,
    },
    { title: "MemberUpdate" },
  ),
  status: 200,
  response: dataOf(memberSchema),
  errors: ["last_owner"],
});

export const removeMemberRoute = defineRoute({
  method: "DELETE",
  path: "/members/{id}",
  operationId: "removeMember",
  tag: "Members",
  role: "admin",
  summary: "Remove a member",
  description: "The person keeps their account. Only owners remove owners; the last owner stays.",
  params: memberParams,
  status: 200,
  response: deletedResponse,
  errors: ["last_owner"],
});

const invitationSchema = Type.Object(
  {
    id: idSchema,
    email: Type.String(),
    role: roleSchema,
    invitedBy: Type.String({ description: "Name of the user or key that created the invitation." }),
    expiresAt: timestampSchema,
    createdAt: timestampSchema,
  },
  { title: "Invitation" },
);

export type Invitation = Static<typeof invitationSchema>;

const createdInvitationSchema = Type.Object(
  {
    ...invitationSchema.properties,
    link: nullable(
      Type.String({
        description:
          "Link for the invited person, returned only in this response. Null: it was sent to their e-mail address.",
      }),
    ),
  },
  { title: "InvitationCreated" },
);

export type CreatedInvitation = Static<typeof createdInvitationSchema>;

export const invitationBody = closedObject(
  { email: emailSchema, role: roleSchema },
  { title: "InvitationCreate" },
);
export const createdInvitationResponse = dataOf(createdInvitationSchema);

export const createInvitationRoute = defineRoute({
  method: "POST",
  path: "/invitations",
  operationId: "createInvitation",
  tag: "Members",
  role: "admin",
  summary: "Invite a person",
  description:
    "The invitation is valid for 7 days and works once. It is sent by e-mail; if the server sends no mail, or the mail server does not take it, the response has the link instead. A new invitation for the same address replaces the earlier one. Only owners invite owners.",
  body: invitationBody,
  status: 201,
  response: createdInvitationResponse,
  errors: ["limit_reached"],
});

export const listInvitationsRoute = defineRoute({
  method: "GET",
  path: "/invitations",
  operationId: "listInvitations",
  tag: "Members",
  role: "admin",
  summary: "List open invitations",
  description: "Includes expired invitations of the last 30 days.",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(invitationSchema),
});

export const withdrawInvitationRoute = defineRoute({
  method: "DELETE",
  path: "/invitations/{id}",
  operationId: "withdrawInvitation",
  tag: "Members",
  role: "admin",
  summary: "Withdraw an invitation",
  params: Type.Object({ id: { ...idSchema, description: "Id of the invitation." } }),
  status: 200,
  response: deletedResponse,
});
