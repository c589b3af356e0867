import { type Static, Type } from "typebox";
import { closedObject } from "../schemas.ts";

const retriedOutcomes = ["no_answer", "busy", "failed", "voicemail"] as const;
export type RetriedOutcome = (typeof retriedOutcomes)[number];

const policyFields = {
  maxAttempts: Type.Integer({
    minimum: 1,
    maximum: 10,
    description: "Dials per contact, the first one included. Default: `1`.",
    examples: [3],
  }),
  retryDelayMinutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    description: "Minutes from the end of an attempt to the next one, or more. Default: `60`.",
    examples: [60],
  }),
  retryOn: Type.Array(Type.Enum([...retriedOutcomes]), {
    maxItems: retriedOutcomes.length,
    description:
      'Outcomes after which a contact is dialed again. Default: `["no_answer","busy","failed"]`. The SIP ' +
      "responses 404, 410, 484, 603, 604, 607 and 608 are never retried.",
    examples: [["no_answer", "busy"]],
  }),
};

export const retryPolicySchema = Type.Object(policyFields, { title: "RetryPolicy" });
export type RetryPolicy = Static<typeof retryPolicySchema>;

export const retryPolicyInput = closedObject(
  {
    maxAttempts: Type.Optional(policyFields.maxAttempts),
    retryDelayMinutes: Type.Optional(policyFields.retryDelayMinutes),
    retryOn: Type.Optional(policyFields.retryOn),
  },
  {
    description: "When contacts are dialed again. Merged by field.",
    examples: [{ maxAttempts: 3, retryDelayMinutes: 60 }],
  },
);

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 1,
  retryDelayMinutes: 60,
  retryOn: ["no_answer", "busy", "failed"],
};
