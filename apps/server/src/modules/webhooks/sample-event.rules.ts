/** Sample data of events, for tests of a webhook. */
import { randomUUID } from "node:crypto";
import type { CallExtraction, CallPostData, CallPreData } from "@parley/contract";
import type { SavedAgent } from "../agents/agent-state.rules.ts";

/** From the range reserved for fiction. */
const SAMPLE_CALLER = "+14155550123";
const SAMPLE_NUMBER = "+14155550100";
const SAMPLE_SECONDS = 42;

/** An inbound call of the agent that is about to be answered. */
export function sampleCallPre({ id: agentId, document }: SavedAgent): CallPreData {
  return {
    id: randomUUID(),
    conversationId: randomUUID(),
    agentId,
    environment: null,
    channel: "phone",
    direction: "inbound",
    fromNumber: SAMPLE_CALLER,
    toNumber: document.phoneNumbers[0]?.e164 ?? SAMPLE_NUMBER,
    variables: document.defaultVariables,
    campaignId: null,
    isTest: true,
  };
}

/** The same call after its end, with a value for each of the agent's analysis fields. */
export function sampleCallPost(agent: SavedAgent, now: Date): CallPostData {
  const { postCallExtraction, postCallEvaluation } = agent.document;
  const hasAnalysis = postCallExtraction.length + postCallEvaluation.length > 0;
  const startedAt = new Date(now.getTime() - SAMPLE_SECONDS * 1000).toISOString();
  return {
    ...sampleCallPre(agent),
    agentRevision: agent.publishMode === "auto" ? null : (agent.publishedRevision ?? agent.revision),
    status: "completed",
    endReason: "user_hangup",
    endDetail: null,
    startedAt,
    answeredAt: startedAt,
    endedAt: now.toISOString(),
    billableSeconds: SAMPLE_SECONDS,
    transcript: [
      {
        id: "1",
        type: "message",
        role: "agent",
        text: "Hello, how can I help you?",
        startMs: 0,
        endMs: 1_800,
      },
      { id: "2", type: "message", role: "user", text: "This is a test.", startMs: 2_400, endMs: 3_500 },
    ],
    analysisStatus: hasAnalysis ? "ready" : null,
    extraction: hasAnalysis ? sampleExtraction(postCallExtraction, now) : null,
    evaluation: hasAnalysis
      ? postCallEvaluation.map(({ name }) => ({ name, result: "pass", reason: "This is a test." }))
      : null,
    recordingUrl: null,
  };
}

function sampleExtraction(fields: SavedAgent["document"]["postCallExtraction"], now: Date): CallExtraction {
  const values = { string: "sample", number: 1, boolean: true, date: now.toISOString().slice(0, 10) };
  return Object.fromEntries(
    fields.map(({ name, type, options }) => [name, type === "enum" ? options[0] : values[type]]),
  );
}
