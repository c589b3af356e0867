import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema } from "../schemas.ts";

export const MAX_INSTRUCTION_CHARACTERS = 2000;

export const instructCallRoute = defineRoute({
  method: "POST",
  path: "/calls/{id}/instructions",
  operationId: "instructCall",
  tag: "Calls",
  summary: "Send an instruction to the agent of a call",
  description:
    "The caller does not hear the instruction. If `speak` is false, it applies to the agent's next reply. If `speak` is " +
    "true, the agent says it now in its own words: an agent that is speaking finishes its sentence and drops the rest; if " +
    "the caller is speaking, the agent waits for the end of the turn. Several instructions are spoken in order. Each one " +
    "is added to the transcript as an item of type `instruction`.\n\n" +
    "202 means that the conversation has received the instruction. If the call's node does not confirm it within 2 seconds, " +
    "the instruction is dropped and `call_not_addressable` is returned.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  body: closedObject({
    instruction: Type.String({
      minLength: 1,
      description: `Instruction in plain language. 1 to ${MAX_INSTRUCTION_CHARACTERS} characters after leading and trailing spaces are removed.`,
      examples: ["Offer the caller a discount of ten percent."],
    }),
    speak: Type.Optional(Type.Boolean({ description: "Whether the agent speaks now. Default: `false`." })),
  }),
  status: 202,
  response: dataOf(
    Type.Object(
      { callId: idSchema, delivered: Type.Literal(true), speak: Type.Boolean() },
      { title: "Instruction" },
    ),
  ),
  errors: ["call_not_active", "call_not_addressable"],
  isBillingRequired: false,
});
