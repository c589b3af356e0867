import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema } from "../schemas.ts";

export const MAX_INSTRUCTION_CHARACTERS = 2000;

export const instructCallRoute = defineRoute({
  method: "POST",
  path: "/calls/{id}/instructions",
  operationId: "instructCall",
  tag: "Calls",
  summary: "Tell the agent something during the call",
  description:
    "The caller does not hear it. With `speak` false the agent's next reply goes by it. With `speak` true the agent says it " +
    "now, in its own words: where it is speaking it finishes its sentence and drops the rest, where the caller is speaking " +
    "it waits for the end of the turn; several are said in the order in which they came. Each stands in the transcript as " +
    "an item of type `instruction`. An answer of 202 means that the conversation has it, on whichever node the call is; an " +
    "instruction that could not be handed over within 2 seconds is dropped (`call_not_addressable`).",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  body: closedObject({
    instruction: Type.String({
      minLength: 1,
      description: `For the agent, in plain language: 1 to ${MAX_INSTRUCTION_CHARACTERS} characters without the space around them.`,
      examples: ["Offer the caller a discount of ten percent."],
    }),
    speak: Type.Optional(Type.Boolean({ default: false, description: "Say it now." })),
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
