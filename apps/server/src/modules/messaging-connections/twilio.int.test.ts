import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SCRIPTED_ACCOUNT, ScriptedTwilio, type TwilioFault } from "@parley/providers/testing";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { Twilio } from "./twilio.ts";
import { TwilioError } from "./twilio-error.ts";
import { TwilioHttp } from "./twilio-http.ts";

async function start(t: TestContext, deadlineMs?: number) {
  const server = await ScriptedTwilio.start();
  t.after(async () => await server.close());
  const twilio = new Twilio({ baseUrl: server.url, ...(deadlineMs !== undefined && { deadlineMs }) });
  t.after(async () => await twilio.close());
  return { server, twilio };
}

const kindOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TwilioError, String(error));
  return [error.kind, error.code];
};

test("each failure is of the kind that decides what happens next", async (t) => {
  const { server, twilio } = await start(t, 500);
  const error = (status: number, code: number): TwilioFault => ({
    type: "error",
    status,
    code,
    message: "no",
  });
  for (const [fault, expected] of [
    [error(400, 21211), ["refused", 21211]],
    [error(401, 20003), ["refused", 20003]],
    [error(429, 20429), ["rate_limited", 20429]],
    [error(500, 20500), ["uncertain", 20500]],
    [{ type: "cut", hasEffect: false }, ["uncertain", undefined]],
    [{ type: "hang", hasEffect: false }, ["uncertain", undefined]],
  ] as const) {
    server.fault = () => fault;
    assert.deepEqual(await kindOf(twilio.findAccountName(SCRIPTED_ACCOUNT)), expected);
  }
  await server.close();
  assert.deepEqual(await kindOf(twilio.findAccountName(SCRIPTED_ACCOUNT)), ["unreachable", undefined]);
});

test("requests go only to hosts of Twilio, and not to private addresses in their place", async (t) => {
  const outbound = new OutboundClient({ isPrivateAllowed: false });
  t.after(async () => await outbound.close());
  const { signal } = new AbortController();
  const http = new TwilioHttp({ outbound, baseUrl: undefined, signal });
  for (const uri of [
    "https://twilio.com.example/2010-04-01",
    "https://nottwilio.com/",
    "http://api.twilio.com/",
    "https://127.0.0.1/",
  ])
    assert.deepEqual(await kindOf(http.request({ method: "get", uri })), ["refused", undefined], uri);
});
