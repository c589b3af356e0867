import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleFlows } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { openLaboratory } from "./testing.ts";

/** Reports the values that the answers of the cases have. */
function read({ lastUserText }: ScriptedChatRequest): ScriptedChatReply {
  const values = lastUserText.endsWith("They: I am Ada Lovelace") ? { name: "Ada Lovelace" } : {};
  return { toolCalls: [{ name: "report_values", input: { values } }] };
}

test("the three sample flows pass as scripted cases of a suite", async (t) => {
  const { addCase, run, server, agentId } = await openLaboratory(t, { model: read });
  const cases = {
    appointment: {
      callerLines: ["I am Ada Lovelace", "2026-12-03", "morning", "+44 23 9200 0000", "yes"],
      said: "Thank you, Ada Lovelace. We will confirm your appointment",
    },
    triage: { callerLines: ["no", "fever", "1"], said: "Please rest, and call again" },
    survey: { callerLines: ["yes", "2", "The wait was long.", "no"], said: "Thank you for your answers" },
  };
  const added: string[] = [];
  for (const [name, { callerLines, said }] of Object.entries(cases)) {
    const assertions = [
      { type: "order", sequence: [{ text: "Miller" }, { text: said }] },
      { type: "end_reason", endReason: "agent_hangup" },
    ];
    added.push((await addCase({ name, callerLines, assertions })).id);
  }
  for (const [index, flowDefinition] of Object.values(sampleFlows).entries()) {
    const change = { mode: "flow", flowDefinition };
    const { status, body } = await server.request("PATCH", `/agents/${agentId}`, change);
    assert.equal(status, 200, JSON.stringify(body));
    const { passedTests, attempts } = await run({ testCaseIds: [added[index]] });
    assert.equal(passedTests, 1, JSON.stringify(attempts, null, 1));
  }
});
