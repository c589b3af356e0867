/** WHIP over real sockets, with media that answers without processing audio. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mock, test } from "node:test";
import { fastify } from "fastify";
import { pino } from "pino";
import { systemClock } from "../../platform/clock.ts";
import type { WebMediaLeg, WebMediaLegHandlers } from "../../media/media-legs.ts";
import { FailedAttempts } from "../../platform/http/failed-attempts.ts";
import { sendError } from "../../platform/http/errors.ts";
import { ActiveCall } from "../active-calls/active-call.ts";
import type { CallEnd } from "../calls/calls.service.ts";
import { toLinkHeader } from "./ice-servers.rules.ts";
import { JoinTokens } from "./join-tokens.ts";
import { RelayProofs } from "./relay-proofs.ts";
import { WebCall } from "./web-call.ts";
import { bindWhipRoutes } from "./whip.routes.ts";

const tokens = new JoinTokens([Buffer.alloc(32, 7)]);
const proofs = new RelayProofs([Buffer.alloc(32, 7)], systemClock);
const LAST_WORDS = { id: "1", type: "message", role: "agent", text: "Good-", startMs: 0, endMs: 1 } as const;
const logger = pino({ level: "silent" });

class Node {
  readonly #app = fastify();
  readonly calls = new Map<string, WebCall>();
  /** Origin of the node to which other calls belong. */
  otherAddress: string | undefined;
  /** Number of lookups. */
  searches = 0;
  url = "";

  static async start(): Promise<Node> {
    const node = new Node();
    node.#app.setErrorHandler(sendError);
    node.#app.decorate("failedAttempts", new FailedAttempts());
    bindWhipRoutes(node.#app, {
      find: (callId) => node.calls.get(callId),
      findRemoteAddress: async () => {
        node.searches += 1;
        return node.otherAddress;
      },
      isToken: (callId, token) => tokens.isValid(callId, token),
      relayProofs: proofs,
      linkHeader: (callId) =>
        toLinkHeader({ stunUrls: ["stun:stun.example.net:3478"], turn: undefined }, callId, new Date()),
    });
    node.url = await node.#app.listen({ host: "127.0.0.1", port: 0 });
    return node;
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}

/** A call that can be joined. */
class Call {
  readonly id = randomUUID();
  readonly token = tokens.issue(this.id);
  readonly offer = { token: this.token, type: "application/sdp", body: "v=0" };
  readonly fragment = {
    token: this.token,
    type: "application/trickle-ice-sdpfrag",
    body: "a=ice-ufrag:mine\r\na=ice-pwd:secret\r\n",
  };
  readonly told: string[] = [];
  handlers: WebMediaLegHandlers | undefined;
  end: CallEnd | undefined;
  readonly over: Promise<void>;

  constructor(node: Node) {
    const leg: WebMediaLeg = {
      prepared: Promise.resolve(),
      instruct: async () => true,
      noteTransfer: () => {},
      close: async () => undefined,
      finish: async () => this.handlers?.onEvent({ type: "item", item: LAST_WORDS }),
      join: async (sdp) =>
        sdp.startsWith("v=0")
          ? { ok: true, sdp: `answer to ${sdp}` }
          : { ok: false, refusal: "malformed", reason: "must be an SDP offer" },
      takeFragment: async ({ ufrag, pwd }) => {
        if (ufrag === "mine") return { kind: "taken" };
        return pwd === undefined
          ? { kind: "refused", reason: "There is no password." }
          : { kind: "restarted", fragment: "a=ice-ufrag:ours\r\n" };
      },
      sendEvent: ({ type }) => this.told.push(type),
    };
    const webCall = new WebCall({
      openMedia: async (handlers) => {
        this.handlers = handlers;
        return leg;
      },
    });
    node.calls.set(this.id, webCall);
    const active = new ActiveCall({
      callId: this.id,
      organizationId: "organization",
      clock: systemClock,
      recorder: {
        ringing: () => {},
        answered: () => {},
        item: () => {},
        turn: () => {},
        providerFailure: () => {},
        finish: async (end) => void (this.end = end),
      },
      providerNames: { llmName: "", sttName: "", ttsName: "" },
      isRecorded: false,
      isTest: false,
      transferRoutes: [],
      maxTransferredMs: 600_000,
      metrics: {
        observeCall: () => {},
        observeFault: () => {},
        observeTurn: () => {},
        observeLostAudio: () => {},
        observeProviderFailure: () => {},
      },
      trace: undefined,
      logger,
      sign: async () => ({}),
      addToDoNotCall: async () => {},
      sendText: async () => ({ isQueued: true }),
      searchKnowledge: async () => [],
    });
    this.over = active.run(webCall).finally(() => node.calls.delete(this.id));
  }
}

async function send(
  node: Node,
  method: string,
  path: string,
  { token, type, body, ifMatch }: { token?: string; type?: string; body?: string; ifMatch?: string } = {},
): Promise<Response> {
  return await fetch(`${node.url}/rtc/calls/${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(type !== undefined && { "content-type": type }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(body !== undefined && { body }),
  });
}

async function errorOf(response: Response): Promise<[number, string]> {
  const body: unknown = await response.json();
  assert.ok(typeof body === "object" && body !== null && "error" in body);
  return [response.status, String(body.error)];
}

test("a token joins its call once, and then authorizes its session until the call ends", async () => {
  const node = await Node.start();
  const call = new Call(node);
  const joined = await send(node, "POST", call.id, call.offer);
  assert.equal(joined.status, 201);
  assert.equal(await joined.text(), "answer to v=0");
  assert.equal(joined.headers.get("content-type"), "application/sdp");
  assert.equal(joined.headers.get("location"), `/rtc/calls/${call.id}/session`);
  assert.match(joined.headers.get("access-control-expose-headers") ?? "", /Location/);
  assert.equal(joined.headers.get("link"), '<stun:stun.example.net:3478>; rel="ice-server"');
  const etag = joined.headers.get("etag") ?? assert.fail();
  assert.deepEqual(await errorOf(await send(node, "POST", call.id, call.offer)), [
    409,
    "call_already_joined",
  ]);

  const session = `${call.id}/session`;
  assert.equal((await send(node, "PATCH", session, { ...call.fragment, ifMatch: etag })).status, 204);
  const rejoined = await send(node, "PATCH", session, { ...call.offer, ifMatch: "*" });
  assert.equal(rejoined.status, 200);
  assert.notEqual(rejoined.headers.get("etag"), etag);
  assert.deepEqual(await errorOf(await send(node, "PATCH", session, { ...call.fragment, ifMatch: etag })), [
    412,
    "session_changed",
  ]);

  call.handlers?.onConnected();
  assert.equal((await send(node, "DELETE", session, { token: call.token })).status, 200);
  await call.over;
  assert.deepEqual([call.end?.status, call.end?.endReason], ["completed", "user_hangup"]);
  assert.deepEqual(call.told, ["item", "ended"], "first the words that were cut short");
  assert.deepEqual(await errorOf(await send(node, "DELETE", session, { token: call.token })), [
    404,
    "not_found",
  ]);
  await node.close();
});

test("an ICE restart is answered with our fragment and a new tag", async () => {
  const node = await Node.start();
  const call = new Call(node);
  const joined = await send(node, "POST", call.id, call.offer);
  let etag = joined.headers.get("etag") ?? assert.fail();
  const session = `${call.id}/session`;
  const restart = { ...call.fragment, body: "a=ice-ufrag:other\r\na=ice-pwd:secret\r\n" };
  for (const ifMatch of ["*", '"*"']) {
    const restarted = await send(node, "PATCH", session, { ...restart, ifMatch });
    assert.equal(restarted.status, 200);
    assert.equal(restarted.headers.get("content-type"), "application/trickle-ice-sdpfrag");
    assert.equal(await restarted.text(), "a=ice-ufrag:ours\r\n");
    // Candidates from before the restart do not belong to the new session.
    const late = await send(node, "PATCH", session, { ...call.fragment, ifMatch: etag });
    assert.deepEqual(await errorOf(late), [412, "session_changed"]);
    etag = restarted.headers.get("etag") ?? assert.fail();
    assert.equal((await send(node, "PATCH", session, { ...call.fragment, ifMatch: etag })).status, 204);
  }
  assert.deepEqual(await errorOf(await send(node, "PATCH", session, restart)), [
    428,
    "precondition_required",
  ]);
  await send(node, "DELETE", session, { token: call.token });
  await call.over;
  await node.close();
});

test("client errors have a status and a code", async () => {
  const node = await Node.start();
  const call = new Call(node);
  const session = `${call.id}/session`;
  const { body, type } = call.offer;
  const wrong: [string, string, Parameters<typeof send>[3], [number, string]][] = [
    ["POST", call.id, { body, type }, [401, "unauthorized"]],
    ["POST", call.id, { ...call.offer, token: "x".repeat(43) }, [401, "unauthorized"]],
    ["OPTIONS", call.id, { token: "x" }, [401, "unauthorized"]],
    ["POST", randomUUID(), call.offer, [401, "unauthorized"]],
    ["POST", "1", call.offer, [404, "not_found"]],
    ["GET", call.id, { token: call.token }, [405, "method_not_allowed"]],
    ["POST", session, call.offer, [405, "method_not_allowed"]],
    [
      "POST",
      call.id,
      { ...call.offer, type: "application/json", body: "{}" },
      [415, "unsupported_media_type"],
    ],
    ["POST", call.id, { ...call.offer, body: "hello" }, [400, "invalid_body"]],
    ["POST", call.id, { ...call.offer, body: "v=0".repeat(40_000) }, [413, "payload_too_large"]],
    ["PATCH", session, { ...call.offer, ifMatch: "*" }, [404, "not_found"]],
  ];
  for (const [method, path, request, expected] of wrong) {
    assert.deepEqual(await errorOf(await send(node, method, path, request)), expected, `${method} ${path}`);
  }
  // The failed attempts have not used up the token.
  assert.equal((await send(node, "POST", call.id, call.offer)).status, 201);
  const refused: [Parameters<typeof send>[3], [number, string]][] = [
    [call.fragment, [428, "precondition_required"]],
    [{ ...call.fragment, body: "hello", ifMatch: "*" }, [400, "invalid_body"]],
    [{ ...call.fragment, body: "a=ice-ufrag:other\r\n", ifMatch: "*" }, [422, "offer_not_acceptable"]],
  ];
  for (const [request, expected] of refused)
    assert.deepEqual(await errorOf(await send(node, "PATCH", session, request)), expected);
  const unauthorized = await send(node, "POST", call.id, { body, type });
  assert.equal(unauthorized.headers.get("www-authenticate"), "Bearer");
  await send(node, "DELETE", session, { token: call.token });
  await call.over;
  assert.deepEqual([call.end?.status, call.end?.endReason], ["canceled", "canceled"]);
  await node.close();
});

test("a page of any origin may send a preflight request, and with the token read the ICE servers", async () => {
  const node = await Node.start();
  const call = new Call(node);
  const preflight = await send(node, "OPTIONS", call.id);
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /Authorization/);
  assert.equal(preflight.headers.get("link"), null);
  const told = await send(node, "OPTIONS", call.id, { token: call.token });
  assert.equal(told.headers.get("accept-post"), "application/sdp");
  assert.match(told.headers.get("link") ?? "", /ice-server/);
  await send(node, "DELETE", `${call.id}/session`, { token: call.token });
  await call.over;
  await node.close();
});

test("a node without the call relays to the call's node, and not further", async () => {
  const [owner, other] = [await Node.start(), await Node.start()];
  const call = new Call(owner);
  other.otherAddress = owner.url;
  owner.otherAddress = other.url;
  const joined = await send(other, "POST", call.id, call.offer);
  assert.equal(joined.status, 201);
  assert.equal(await joined.text(), "answer to v=0");
  assert.equal(joined.headers.get("location"), `/rtc/calls/${call.id}/session`);
  const ifMatch = joined.headers.get("etag") ?? assert.fail();
  const session = `${call.id}/session`;
  assert.equal((await send(other, "PATCH", session, { ...call.fragment, ifMatch })).status, 204);
  const told = await send(other, "OPTIONS", call.id, { token: call.token });
  assert.match(told.headers.get("link") ?? "", /ice-server/);
  assert.deepEqual(await errorOf(await send(other, "POST", call.id, { ...call.offer, token: "x" })), [
    401,
    "unauthorized",
  ]);
  assert.deepEqual(await errorOf(await send(other, "POST", randomUUID(), call.offer)), [401, "unauthorized"]);
  assert.equal(other.searches, 3, "what has no token of the call is not searched for");
  assert.equal((await send(other, "DELETE", session, { token: call.token })).status, 200);
  await call.over;
  await owner.close();
  const gone = await send(other, "POST", call.id, call.offer);
  assert.deepEqual(await errorOf(gone), [503, "capacity_exceeded"]);
  await other.close();
});

test("a relayed request needs another node's proof of itself", async () => {
  const node = await Node.start();
  const call = new Call(node);
  const head = {
    method: "POST",
    path: `/rtc/calls/${call.id}`,
    headers: { "content-type": call.offer.type },
  };
  const post = async (proof: string, body: string): Promise<number> => {
    const headers = { ...head.headers, "x-parley-relayed": proof };
    return (await fetch(node.url + head.path, { method: "POST", headers, body })).status;
  };
  const proof = proofs.issue(head, call.offer.body);
  const strangers = new RelayProofs([Buffer.alloc(32, 8)], systemClock);
  assert.equal(await post("true", call.offer.body), 401);
  assert.equal(await post(strangers.issue(head, call.offer.body), call.offer.body), 401);
  assert.equal(await post(proof, `${call.offer.body}\r\n`), 401);
  assert.equal(await post(proof, call.offer.body), 201);
  await send(node, "DELETE", `${call.id}/session`, { token: call.token });
  await call.over;
  await node.close();
});

test("a call that no browser joins ends after 60 s", async () => {
  const node = await Node.start();
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const call = new Call(node);
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(59_999);
    assert.equal(node.calls.size, 1);
    mock.timers.tick(1);
    await call.over;
    assert.deepEqual([call.end?.status, call.end?.endReason], ["canceled", "canceled"]);
    assert.match(call.end?.endDetail ?? "", /no browser joined/);
  } finally {
    mock.timers.reset();
    await node.close();
  }
});

test("a browser that is disconnected too long has hung up", async () => {
  const node = await Node.start();
  const call = new Call(node);
  await send(node, "POST", call.id, call.offer);
  call.handlers?.onConnected();
  call.handlers?.onMediaTimeout(15_000);
  await call.over;
  assert.deepEqual([call.end?.status, call.end?.endReason], ["completed", "user_hangup"]);
  await node.close();
});

test("TURN credentials are valid for one call and one hour, as TURN servers with a shared secret check them", () => {
  const turn = { urls: ["turn:turn.example.net:3478?transport=udp"], secret: "north" };
  const link = toLinkHeader({ stunUrls: [], turn }, "call", new Date(1_000_000_000));
  // printf '1003600:call' | openssl dgst -sha1 -hmac north -binary | base64
  assert.equal(
    link,
    '<turn:turn.example.net:3478?transport=udp>; rel="ice-server"; username="1003600:call"; ' +
      'credential="kHMgejUE+ha4/WHBjLdWlKBQ60Y="; credential-type="password"',
  );
  assert.equal(toLinkHeader({ stunUrls: [], turn: undefined }, "call", new Date()), undefined);
});
