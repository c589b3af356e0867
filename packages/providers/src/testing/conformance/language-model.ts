import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { toProviderError, type LanguageModel } from "@parley/conversation";
import type { ScriptedFault } from "../scripted-fault.ts";
import { assertProviderError, faultCases } from "./fault-cases.ts";
import { QUIET_MS, until, wireChecks, type Wire, type WireCall } from "./wire.ts";

const MID_STREAM = 2;
/** The server's answer, word by word; a request that offers the tool gets a call of it. */
export const REPLY_TEXT = "We are open until five.";
export const TOOL_CALL = { name: "book_table", input: { people: 4, at: "19:00" } } as const;

/**
 * Registers the tests for a language model reached over the network. Its server answers `REPLY_TEXT`, or `TOOL_CALL` if
 * a request offers a tool of that name.
 */
export function conformsAsLanguageModel(name: string, wire: Wire<LanguageModel>): void {
  const check = wireChecks(name, wire);
  repliesAsAsked(check);
  for (const { name: what, fault, error, deadlineMs } of faultCases(MID_STREAM)) {
    check(
      `${what}: fails with its kind, and the next reply arrives`,
      { fault: firstOnly(fault), deadlineMs },
      async (call) => {
        const reply = await read(call);
        assertProviderError(toProviderError(reply.error, name), error);
        const isMidStream = "after" in fault && fault.after > 0;
        assert.equal(reply.text !== "", isMidStream, `"${reply.text}" came before the fault`);
        assert.equal((await read(call)).text, REPLY_TEXT);
      },
    );
  }

  check("status 401: fails and is not retryable", { apiKey: "another" }, async (call) => {
    const error = toProviderError((await read(call)).error, name);
    assertProviderError(error, { kind: "status", status: 401, isRetryable: false });
  });

  const { after, outcome } = wire.nonsense;
  check(
    `messages that make no sense: ${outcome}`,
    { fault: () => ({ type: "nonsense", after }) },
    async (call) => {
      const reply = await read(call);
      if (outcome === "failed")
        assertProviderError(toProviderError(reply.error, name), { kind: "connection" });
      else assert.equal(reply.error, undefined);
    },
  );

  endsWhenAborted(check);

  check("a connection that dies between two replies: has no effect", {}, async (call) => {
    assert.equal((await read(call)).text, REPLY_TEXT);
    call.server.cutConnections();
    await sleep(QUIET_MS);
    assert.equal((await read(call)).text, REPLY_TEXT);
  });
}

type Check = ReturnType<typeof wireChecks<LanguageModel>>;

function repliesAsAsked(check: Check): void {
  check("a reply arrives as text deltas and ends with its finish reason", {}, async (call) => {
    const { parts, text } = await read(call);
    assert.equal(text, REPLY_TEXT);
    assert.ok(parts.filter(({ type }) => type === "text-delta").length > 1);
    const finish = parts.at(-1);
    assert.equal(finish?.type === "finish" && finish.finishReason.unified, "stop");
  });

  check("a tool call arrives in deltas and as one call", {}, async (call) => {
    const properties = { people: { type: "number" as const }, at: { type: "string" as const } };
    const inputSchema = { type: "object" as const, properties };
    const tools = [{ type: "function" as const, name: TOOL_CALL.name, inputSchema }];
    const { parts } = await read(call, { tools });
    const toolCall = parts.find((part) => part.type === "tool-call");
    assert.equal(toolCall?.toolName, TOOL_CALL.name);
    assert.deepEqual(JSON.parse(toolCall?.input ?? ""), TOOL_CALL.input);
    assert.ok(parts.some(({ type }) => type === "tool-input-delta"));
    const finish = parts.at(-1);
    assert.equal(finish?.type === "finish" && finish.finishReason.unified, "tool-calls");
  });

  check("consecutive replies share a connection", {}, async (call) => {
    for (let count = 0; count < 3; count++) {
      assert.equal((await read(call)).text, REPLY_TEXT);
      // The connection becomes free a moment after the reply has ended.
      await sleep(10);
    }
    assert.equal(call.server.stats.connections, 1);
  });
}

function endsWhenAborted(check: Check): void {
  const reason = new Error("the caller spoke");

  check("aborted before the request", {}, async (call) => {
    const { error } = await read(call, { abortSignal: AbortSignal.abort(reason) });
    assert.equal(error, reason);
    assert.equal(call.server.stats.exchanges.length, 0);
  });

  for (const [stage, fault] of [
    ["while it connects", { type: "stallConnect" }],
    ["before the first byte", { type: "stall", after: 0 }],
    ["in mid-stream", { type: "stall", after: MID_STREAM }],
  ] as const satisfies [string, ScriptedFault][]) {
    check(
      `aborted ${stage}: ends with the reason, and its connection with it`,
      { fault: () => fault },
      async (call) => {
        const controller = new AbortController();
        const reading = read(call, { abortSignal: controller.signal });
        await until(() => call.server.stats.exchanges.length > 0, "nothing asked of the server");
        await sleep(20);
        controller.abort(reason);
        assert.equal((await reading).error, reason);
        await until(() => call.server.stats.openConnections === 0, "the connection is left open");
      },
    );
  }

  check(
    "canceled by its reader in mid-stream: its connection ends",
    { fault: stallMidStream },
    async (call) => {
      const { stream } = await call.provider.doStream(ask());
      const reader = stream.getReader();
      await reader.read();
      await reader.cancel();
      await until(() => call.server.stats.openConnections === 0, "the connection is left open");
    },
  );
}

function stallMidStream(): ScriptedFault {
  return { type: "stall", after: MID_STREAM };
}

function firstOnly<Fault>(fault: Fault): (index: number) => Fault | undefined {
  return (index) => (index === 0 ? fault : undefined);
}

function ask(more: Partial<LanguageModelV4CallOptions> = {}): LanguageModelV4CallOptions {
  return { prompt: [{ role: "user", content: [{ type: "text", text: "When are you open?" }] }], ...more };
}

interface ReadReply {
  parts: LanguageModelV4StreamPart[];
  text: string;
  /** The error of the request or its stream. */
  error: unknown;
}

async function read(
  { provider }: WireCall<LanguageModel>,
  more: Partial<LanguageModelV4CallOptions> = {},
): Promise<ReadReply> {
  const parts: LanguageModelV4StreamPart[] = [];
  let error: unknown;
  try {
    const { stream } = await provider.doStream(ask(more));
    for await (const part of stream) {
      parts.push(part);
      if (part.type === "error") error = part.error;
    }
  } catch (cause) {
    error = cause;
  }
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  return { parts, text, error };
}
