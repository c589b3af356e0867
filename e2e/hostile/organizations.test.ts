import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { createTenant, OPERATOR_KEY, operate, type Tenant } from "../support/platform/organizations.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

describe("organizations on one node", () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  before(async () => {
    providers = await startScriptedProviders("When are you open", () => ({ text: "Always." }));
    platform = await Platform.start({ env: { ...providers.env, PARLEY_OPERATOR_API_KEY: OPERATOR_KEY } });
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  /** The numbers that called the organization. */
  async function callersOf({ api }: Tenant): Promise<(string | null)[]> {
    return (await api.listCalls({ sort: "asc" })).data.map(({ fromNumber }) => fromNumber);
  }

  /** Calls from this address and hangs up once the agent has greeted. */
  async function greet(number: string, address: string, from: string): Promise<void> {
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from, address });
    await caller.agentToSpeak();
    await caller.hangUp();
  }

  test("two organizations have the same number on different trunks, and each gets its own callers", async () => {
    const number = "+15550660001";
    const [first, second, third] = [
      await createTenant(platform, "First"),
      await createTenant(platform, "Second"),
      await createTenant(platform, "Third"),
    ];
    const firstAgent = await first.addAgent({ allowedAddresses: ["127.0.0.1"] });
    const secondAgent = await second.addAgent({ allowedAddresses: ["127.0.0.2"] });
    // Its trunk admits addresses of the first one's.
    const thirdAgent = await third.addAgent({ allowedAddresses: ["127.0.0.0/31"] });
    const claimed = await first.api.addPhoneNumber(firstAgent.agentId, { e164: number });
    await second.api.addPhoneNumber(secondAgent.agentId, { e164: number });
    const claim = async () => await third.api.addPhoneNumber(thirdAgent.agentId, { e164: number });
    await assert.rejects(claim(), { status: 400, code: "invalid_body", message: /already in use/ });

    await greet(number, "127.0.0.1", "+15550661001");
    await greet(number, "127.0.0.2", "+15550661002");
    await using stranger = await TestCaller.open({
      sipPort: platform.sipPort,
      number,
      from: "+15550661003",
      address: "127.0.0.3",
    });
    assert.partialDeepStrictEqual(await stranger.dial(), { ok: false, status: 403 });
    assert.deepEqual(
      [await callersOf(first), await callersOf(second), await callersOf(third)],
      [["+15550661001"], ["+15550661002"], []],
    );

    // The operator decides whose number it is.
    await operate(platform, "DELETE", `/number-claims/${claimed.id}`);
    await claim();
    await greet(number, "127.0.0.1", "+15550661004");
    assert.deepEqual(
      [await callersOf(first), await callersOf(second), await callersOf(third)],
      [["+15550661001"], ["+15550661002"], ["+15550661004"]],
    );
  });

  test("an organization at its limit of calls is refused with a time to retry, and others are not", async () => {
    const [limited, other] = [
      await createTenant(platform, "Limited", { concurrentCalls: 1 }),
      await createTenant(platform, "Other"),
    ];
    const [number, otherNumber] = ["+15550660002", "+15550660003"];
    const { agentId } = await limited.addAgent({ allowedAddresses: ["127.0.0.1"] });
    await limited.api.addPhoneNumber(agentId, { e164: number });
    const otherAgent = await other.addAgent({ allowedAddresses: ["127.0.0.1"] });
    await other.api.addPhoneNumber(otherAgent.agentId, { e164: otherNumber });
    const dial = async () => {
      await using caller = await TestCaller.open({ sipPort: platform.sipPort, number, from: "+15550661006" });
      return await caller.dial();
    };
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550661005" });
    try {
      await caller.agentToSpeak();
      const refused = await dial();
      assert.partialDeepStrictEqual(refused, { ok: false, status: 503 });
      assert.ok(!refused.ok && (refused.retryAfterMs ?? 0) > 0);
      await assert.rejects(
        limited.api.startTestCall(agentId),
        ({ status, code, retryAfterMs }) => status === 429 && code === "rate_limited" && retryAfterMs > 0,
      );
      await greet(otherNumber, "127.0.0.1", "+15550661007");
      await caller.hangUp();
    } finally {
      await caller.close();
    }
    await waitFor("room for the next call", async () => (await dial()).ok);
  });

  test("an organization that begins too many calls in a minute is refused until the operator raises its limit", async () => {
    const tenant = await createTenant(platform, "Hasty", { callsPerMinute: 1 });
    const number = "+15550660004";
    const { agentId } = await tenant.addAgent({ allowedAddresses: ["127.0.0.1"] });
    await tenant.api.addPhoneNumber(agentId, { e164: number });
    await greet(number, "127.0.0.1", "+15550661008");
    await using second = await TestCaller.open({ sipPort: platform.sipPort, number, from: "+15550661009" });
    assert.partialDeepStrictEqual(await second.dial(), { ok: false, status: 503 });
    await assert.rejects(
      tenant.api.startTestCall(agentId),
      ({ status, retryAfterMs }) => status === 429 && retryAfterMs > 0 && retryAfterMs <= 60_000,
    );
    await operate(platform, "PATCH", `/organizations/${tenant.id}`, { limits: { callsPerMinute: null } });
    await waitFor("the change", async () => {
      await using third = await TestCaller.open({ sipPort: platform.sipPort, number, from: "+15550661010" });
      return (await third.dial()).ok;
    });
  });
});
