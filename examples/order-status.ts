/**
 * Order status with a custom tool: `npm run example -- examples/order-status.ts [number]`.
 *
 * Creates an agent that looks up orders during the call, and runs the server of its tool, until Ctrl-C.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { connect, ensureTrunk } from "./connect.ts";

const number = process.argv[2] ?? "+12025550151";
const orders: Readonly<Record<string, string>> = {
  "1001": "sent yesterday, arrives tomorrow",
  "1002": "being packed",
};

/** Body of a tool request: `arguments` has the model's arguments; other fields describe the call. */
function findOrder(body: unknown): string {
  const input = typeof body === "object" && body !== null && "arguments" in body ? body.arguments : undefined;
  const asked = typeof input === "object" && input !== null && "number" in input ? input.number : undefined;
  const status = typeof asked === "string" ? orders[asked] : undefined;
  return status ?? "no order has this number";
}

const server = createServer((request, response) => {
  const answer = async (): Promise<void> => {
    const status = findOrder(await json(request));
    console.log(`${request.method} ${request.url}: ${status}`);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ status }));
  };
  answer().catch(() => response.writeHead(400).end());
}).listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
if (typeof address !== "object" || address === null) throw new Error("the server does not listen");

const parley = connect();
const trunk = await ensureTrunk(parley, "Example");
const agent = await parley.createAgent({
  name: "Order status",
  sipTrunkId: trunk.id,
  firstMessage: "Hello, the bookshop. What is your order number?",
  promptTemplate:
    "You tell callers of a bookshop the status of their order. Look it up by its number; never guess.",
});
await parley.createCustomTool(agent.id, {
  name: "find_order",
  webhookUrl: `http://127.0.0.1:${address.port}/orders`,
  schema: {
    description: "Looks up the status of an order.",
    parameters: {
      type: "object",
      properties: { number: { type: "string", description: "The order's number, digits only" } },
      required: ["number"],
    },
  },
});
await parley.addPhoneNumber(agent.id, { e164: number });
console.log(`Call ${number} and ask for order 1001. Ctrl-C ends.`);
