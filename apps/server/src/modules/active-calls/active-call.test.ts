import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { systemClock } from "../../platform/clock.ts";
import { createDocument } from "../agents/agent-document.rules.ts";
import { type CallSignaling, ActiveCall, type ActiveCallOptions, toTransferRoutes } from "./active-call.ts";

const route = { extension: null, dialTimeoutSeconds: 30, waitForHumanSeconds: 30, warm: undefined };

/** A call whose writes are recorded as words. */
function openActiveCall(
  isListable = true,
  maxTransferredMs = 600_000,
): { call: ActiveCall; written: string[] } {
  const written: string[] = [];
  const recorder: ActiveCallOptions["recorder"] = {
    ringing: () => void written.push("ringing"),
    answered: () => void written.push("answered"),
    item: ({ text }) => void written.push(text),
    turn: (turn) => void written.push(JSON.stringify(turn)),
    providerFailure: ({ id: _id, at: _at, ...failure }) => void written.push(JSON.stringify(failure)),
    finish: async ({ status, endReason, endDetail = "" }) =>
      void written.push(`${status} ${endReason} ${endDetail}`.trim()),
  };
  const call = new ActiveCall({
    callId: "call",
    organizationId: "organization",
    recorder,
    providerNames: { llmName: "", sttName: "", ttsName: "" },
    isRecorded: false,
    isTest: false,
    transferRoutes: [{ ...route, to_number: "204", condition: "invoices" }],
    maxTransferredMs,
    sign: async () => ({}),
    addToDoNotCall: async () => {
      await Promise.resolve();
      if (!isListable) throw new Error("the database is away");
    },
    sendText: async () => ({ isQueued: true }),
    searchKnowledge: async () => [],
    metrics: {
      observeCall: () => {},
      observeFault: () => {},
      observeTurn: () => {},
      observeLostAudio: () => {},
      observeProviderFailure: (...labels) => void written.push(labels.join(" ")),
    },
    trace: undefined,
    clock: systemClock,
    logger: pino({ level: "silent" }),
  });
  return { call, written };
}

/** Signaling whose steps are recorded among the call's writes. */
function signal(written: string[], establish: CallSignaling["establish"]): CallSignaling {
  return { establish, end: () => void written.push("told") };
}

const userHangup = { status: "completed", endReason: "user_hangup" } as const;
const apiHangup = { status: "completed", endReason: "api_hangup" } as const;

test("the first of several outcomes wins, and the other side receives it before it is written", async () => {
  const { call, written } = openActiveCall();
  const running = call.run(
    signal(written, async () => {
      call.ringing();
      call.answered();
    }),
  );
  call.hangUp(apiHangup);
  call.hangUp(userHangup);
  await running;
  assert.deepEqual(written, ["ringing", "answered", "told", "completed api_hangup"]);
});

test("transcript items that arrive while the media closes are written before the end", async () => {
  const { call, written } = openActiveCall();
  const establish = async (): Promise<void> => {
    call.takeMedia({
      prepared: Promise.resolve(),
      instruct: async () => true,
      noteTransfer: () => {},
      close: async () => {
        const item = {
          id: "1",
          type: "message",
          role: "agent",
          text: "Good-",
          startMs: 0,
          endMs: 1,
        } as const;
        call.mediaHandlers.onEvent({ type: "item", item });
        return undefined;
      },
    });
    call.answered();
    call.mediaHandlers.onEvent({ type: "ended", endReason: "agent_hangup" });
  };
  await call.run(signal(written, establish));
  assert.deepEqual(written, ["answered", "told", "Good-", "completed agent_hangup"]);
});

test("a call that cannot be established ends with error_internal and the reason", async () => {
  const { call, written } = openActiveCall();
  await call.run(signal(written, async () => await Promise.reject(new Error("no audio"))));
  assert.deepEqual(written, ["told", "failed error_internal no audio"]);
});

test("a call hung up before its answer is canceled, and a call in progress is ended by the API", async () => {
  for (const isAnswered of [false, true]) {
    const { call, written } = openActiveCall();
    const running = call.run(
      signal(written, async () => {
        if (isAnswered) call.answered();
        await call.decided;
      }),
    );
    assert.equal(await call.carryOut({ type: "hangUp" }), "done");
    assert.equal(await call.carryOut({ type: "hangUp" }), "refused", "it is over");
    assert.equal(call.signal.aborted, true);
    await running;
    assert.equal(written.at(-1), isAnswered ? "completed api_hangup" : "canceled canceled");
  }
});

test("a call that a mailbox hangs up is a voicemail, however it began; one that a person hangs up is not", async () => {
  for (const [verdicts, end] of [
    [["machine"], "voicemail the mailbox ended the call before the message did"],
    [["human", "machine"], "voicemail the mailbox ended the call before the message did"],
    [["human"], "user_hangup"],
    [["silence"], "user_hangup"],
  ] as const) {
    const { call, written } = openActiveCall();
    await call.run(
      signal(written, async () => {
        call.answered();
        for (const by of verdicts) call.mediaHandlers.onEvent({ type: "answeredBy", by, atMs: 1_000 });
        call.hangUp(userHangup);
      }),
    );
    assert.equal(written.at(-1), `completed ${end}`);
  }
});

test("the agent is told whether the number is on the do-not-call list", async () => {
  assert.equal(await openActiveCall(true).call.mediaHandlers.onDoNotCall(), true);
  assert.equal(await openActiveCall(false).call.mediaHandlers.onDoNotCall(), false);
});

test("a ringing call refuses instructions", async () => {
  const { call, written } = openActiveCall();
  const running = call.run(signal(written, async () => void (await call.decided)));
  assert.equal(await call.carryOut({ type: "instruct", text: "Say hello.", speak: true }), "refused");
  call.hangUp(userHangup);
  await running;
});

test("the recorded parts of a turn add up to its total", async () => {
  const { call, written } = openActiveCall();
  const latency = {
    endpointingMs: 600,
    sttMs: 180,
    textWaitMs: 12,
    decisionMs: 620,
    llmFirstTokenMs: 1_700,
    toolMs: 1_200,
    clauseMs: 3_300,
    ttsFirstByteMs: 386,
    waitMs: 1_000,
    totalMs: 8_214,
  };
  await call.run(
    signal(written, async () => {
      call.mediaHandlers.onEvent({ type: "turn", latency });
      call.hangUp(userHangup);
    }),
  );
  const { id: _id, totalMs, ...parts }: Record<string, number> = JSON.parse(written[0] ?? "");
  const sumMs = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  assert.deepEqual([totalMs, sumMs], [8_214, 8_214]);
  assert.deepEqual([parts["sttMs"], parts["toolMs"], parts["waitMs"]], [12, 1_200, 1_000]);
  assert.deepEqual([parts["llmFirstClauseMs"], parts["overheadMs"]], [3_300, 16]);
});

test("a failure of a provider is recorded with what took over, and at most a hundred times", async () => {
  const { call, written } = openActiveCall();
  const message = "no audio within 1200 ms";
  const fault = {
    type: "fault",
    part: "tts",
    provider: "elevenlabs/flash",
    kind: "timeout",
    message,
  } as const;
  call.mediaHandlers.onEvent({ ...fault, takenOverBy: "local (dittli/male)" });
  call.mediaHandlers.onEvent(fault);
  const { type: _type, ...failure } = fault;
  assert.deepEqual(written, [
    "tts elevenlabs/flash true",
    JSON.stringify({ ...failure, takenOverBy: "local (dittli/male)" }),
    "tts elevenlabs/flash false",
    JSON.stringify({ ...failure, takenOverBy: null }),
  ]);
  for (let more = 0; more < 200; more++) call.mediaHandlers.onEvent(fault);
  assert.equal(written.filter((line) => line.startsWith("{")).length, 100);
});

test("a transfer is simulated where nobody can be called", async () => {
  const { call, written } = openActiveCall();
  const establish = async (): Promise<void> => {
    call.takeMedia({
      prepared: Promise.resolve(),
      instruct: async () => true,
      noteTransfer: (text) => void written.push(text),
      close: async () => undefined,
    });
    call.answered();
    assert.deepEqual(await call.mediaHandlers.onTransfer(0), { isTransferred: true, isSimulated: true });
    const unknown = await call.mediaHandlers.onTransfer(1);
    assert.deepEqual(unknown, { isTransferred: false, reason: "there is no such destination" });
    call.hangUp(userHangup);
  };
  await call.run(signal(written, establish));
  assert.deepEqual(written, [
    "answered",
    "Transferred to 204 (simulated: no call was placed).",
    "told",
    "completed user_hangup",
  ]);
});

test("one transfer at a time, and a hang-up after it is its end", async () => {
  const { call, written } = openActiveCall();
  const establish = async (): Promise<void> => {
    call.answered();
    const both = await Promise.all([call.mediaHandlers.onTransfer(0), call.mediaHandlers.onTransfer(0)]);
    assert.deepEqual(both, [
      { isTransferred: true },
      { isTransferred: false, reason: "a transfer is under way already" },
    ]);
    call.mediaHandlers.onEvent({ type: "ended", endReason: "transferred" });
    assert.equal(call.signal.aborted, false);
    call.hangUp(userHangup);
  };
  const transfer = async () => {
    await Promise.resolve();
    call.noteTransferred();
    return { isTransferred: true } as const;
  };
  await call.run({ ...signal(written, establish), transfer });
  assert.deepEqual(written, ["answered", "told", "completed transferred"]);
});

test("a transferred call ends after the agent's longest duration", async () => {
  const { call, written } = openActiveCall(true, 30);
  const establish = async (): Promise<void> => {
    call.answered();
    call.noteTransferred();
  };
  await call.run(signal(written, establish));
  assert.deepEqual(written, ["answered", "told", "completed max_duration 0.03 s after the transfer"]);
});

test("in warm transfers the shorter of the agent's and the route's limits applies", () => {
  const route = { to_number: "204", condition: "invoices", dialTimeoutSeconds: 60, waitForHumanSeconds: 10 };
  const warmTransferConfig = {
    dialTimeoutSeconds: 20,
    waitForHumanSeconds: 40,
    callerIdMode: "caller",
  } as const;
  const routesIn = (transferMode: "cold" | "warm") =>
    toTransferRoutes(
      createDocument({ name: "Ada", transferMode, transferRoutes: [route], warmTransferConfig }),
    );
  const limits = ({ dialTimeoutSeconds, waitForHumanSeconds, warm }: (typeof routes)[number]) => [
    dialTimeoutSeconds,
    waitForHumanSeconds,
    warm?.callerIdMode,
  ];
  const routes = [...routesIn("cold"), ...routesIn("warm")];
  assert.deepEqual(routes.map(limits), [
    [60, 10, undefined],
    [20, 10, "caller"],
  ]);
});
