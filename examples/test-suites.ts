/**
 * Test suites of the sample agent and of the agents of the other examples: `npm run example -- examples/test-suites.ts`.
 *
 * Creates a suite for each of these agents that exists and has none yet, and prints the command that runs them. The lines are fixed
 * and the assertions exact, so that no language model plays the caller or judges.
 */
import { paginate, type TestCaseCreate } from "@parley/client";
import { sampleAgent } from "@parley/contract/sample-agent";
import { connect } from "./connect.ts";

/** Cases by the name of their agent. */
const suites: Readonly<Record<string, readonly TestCaseCreate[]>> = {
  [sampleAgent.name]: [
    {
      name: "Says when the practice is open",
      callerLines: ["When are you open on Saturday?", "And on Sunday?"],
      assertions: [
        {
          type: "order",
          sequence: [
            { text: "this is Robin" },
            { text: "open from nine to one" },
            { text: "closed on Sunday" },
          ],
        },
      ],
    },
    {
      name: "Says what a checkup costs",
      callerLines: ["What does a checkup cost?"],
      assertions: [
        { type: "said", text: "forty five pounds" },
        { type: "not_said", text: "sixty pounds" },
      ],
    },
  ],
  "Appointment line": [
    {
      name: "Says when there are appointments",
      callerLines: ["When do you have appointments?"],
      assertions: [
        { type: "order", sequence: [{ text: "Doctor Miller's practice" }, { text: "Monday to Friday" }] },
      ],
    },
  ],
  "Order status": [
    {
      name: "Looks an order up",
      callerLines: ["Where is order 1001?"],
      toolMocks: [{ toolName: "find_order", answers: [{ text: '{"status":"sent yesterday"}' }] }],
      assertions: [
        { type: "tool_called", toolName: "find_order", arguments: { number: "1001" }, times: 1 },
        { type: "said", text: "sent yesterday" },
      ],
    },
  ],
  Reminder: [
    {
      name: "Greets with name and time",
      callerLines: ["I cannot come."],
      variables: { name: "Ada", when: "tomorrow at ten" },
      assertions: [
        {
          type: "said",
          text: "Hello Ada, this is Doctor Miller's practice. You have an appointment tomorrow at ten",
        },
      ],
    },
  ],
};

const parley = connect();
const known = new Set<string>();
for await (const { name } of paginate((page) => parley.listTestSuites(page))) known.add(name);
const names: string[] = [];
for await (const agent of paginate((page) => parley.listAgents(page))) {
  const cases = suites[agent.name];
  const name = `Example: ${agent.name}`;
  if (cases === undefined || names.includes(name)) continue;
  names.push(name);
  if (known.has(name)) continue;
  const suite = await parley.createTestSuite({ name, agentId: agent.id, mode: "chat" });
  for (const each of cases) await parley.createTestCase(suite.id, each);
}
if (names.length === 0) console.log("None of the example agents exists: run another example first.");
else console.log(`npm run parley -- test ${names.map((name) => `--suite "${name}"`).join(" ")}`);
