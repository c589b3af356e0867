/** For tests: a platform whose agent has a connection to a server that speaks Twilio's wire format. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AgentCreation, Message, MessagingConnection } from "@parley/contract";
import { SCRIPTED_ACCOUNT, ScriptedTwilio } from "@parley/providers/testing";
import { freePort } from "@parley/testing";
import { createTestServer, type TestResponse, type TestServerOptions } from "../testing.ts";

export const OWN_NUMBER = "+14155550100";
export const CUSTOMER = "+14155550123";

export async function startMessaging(
  t: TestContext,
  agentFields: Partial<AgentCreation> = {},
  options: TestServerOptions = {},
) {
  const twilio = await ScriptedTwilio.start();
  t.after(async () => await twilio.close());
  const port = await freePort();
  let nowMs = Date.now();
  const clock = { now: () => new Date(nowMs) };
  const publicUrl = `http://127.0.0.1:${port}`;
  const server = await createTestServer({ twilioBaseUrl: twilio.url, publicUrl, clock, ...options });
  t.after(async () => await server.close());
  await server.app.listen({ port, host: "127.0.0.1" });
  const connection = read<MessagingConnection>(
    await server.request("POST", "/messaging-connections", {
      accountSid: SCRIPTED_ACCOUNT.accountSid,
      authToken: SCRIPTED_ACCOUNT.authToken,
    }),
    201,
  );
  const by = { organizationId: server.organizationId, actor: server.actor };
  const { messagingConfig, ...fields } = agentFields;
  const agent = await server.modules.agents.create(by, {
    name: "Ada",
    messagingConnectionId: connection.id,
    messagingConfig: { fromNumber: OWN_NUMBER, ...messagingConfig },
    ...fields,
  });
  const { messageSender } = server.modules;
  return {
    server,
    twilio,
    connection,
    agent,
    publicUrl,
    advance: (ms: number): void => void (nowMs += ms),
    /** Sends a message through the API. */
    send: async (fields: object = {}): Promise<Message> => {
      const body = { agentId: agent.id, toNumber: CUSTOMER, body: "Your order is ready.", ...fields };
      return read<Message>(await server.request("POST", "/messages", body), 201);
    },
    readMessage: async (id: string): Promise<Message> =>
      read<Message>(await server.request("GET", `/messages/${id}`)),
    /** Sends everything that is due. */
    sendDue: async (): Promise<void> => {
      for (;;) {
        const claimed = await messageSender.claim();
        if (claimed === undefined) return;
        await messageSender.run(claimed);
      }
    },
  };
}

export function read<T>({ status, body }: TestResponse, expected = 200): T {
  assert.equal(status, expected, JSON.stringify(body));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests of each route check its answers
  return (body as { data: T }).data;
}
