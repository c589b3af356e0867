import { randomBytes } from "node:crypto";
import type { DialogReply } from "../dialogs/dialog-client.ts";
import { MAX_FORWARDS } from "../dialogs/dialog.ts";
import type { DigestClient } from "../digest/client.ts";
import { type HeaderFields, HeaderList } from "../messages/header-list.ts";
import { newTag } from "../transactions/identifiers.ts";
import type { Destination, Hop } from "../transport/transport.ts";
import type { OpenCall, UserAgentCore } from "./core.ts";
import { formatParty, type Party } from "./identity.ts";

export interface StandaloneRequest {
  method: string;
  requestUri: string;
  to: Party;
  from: Party;
  /** Header fields added to the mandatory ones; Contact depends on the destination. */
  fields: (hop: Hop) => HeaderFields;
}

/**
 * A series of requests outside a dialog (RFC 3261 §8.1): a single OPTIONS, or all requests of a registration,
 * which share their Call-ID and count their CSeq (§10.2).
 */
export class StandaloneRequests {
  readonly #core: UserAgentCore;
  readonly #digest: DigestClient | undefined;
  readonly #callId = randomBytes(16).toString("hex");
  #sequence = 0;

  constructor(core: UserAgentCore, digest?: DigestClient) {
    this.#core = core;
    this.#digest = digest;
  }

  /**
   * Sends a request, answers challenges, and resolves with the final response within 32 s per attempt. Never
   * rejects.
   */
  async send(request: StandaloneRequest, destination: Destination): Promise<DialogReply> {
    this.#digest?.startRequest();
    const localTag = newTag();
    for (;;) {
      const reply = await this.#exchange(request, destination, localTag);
      if ("failure" in reply) return reply;
      // §22.2: send the same request again with credentials and the next CSeq number (§8.1.3.5).
      if (this.#digest?.storeChallenge(reply.response.status, reply.response.headers) !== true) return reply;
    }
  }

  #exchange(standalone: StandaloneRequest, destination: Destination, localTag: string): Promise<DialogReply> {
    const { method, requestUri, to, from, fields } = standalone;
    const headers = new HeaderList();
    headers.add("max-forwards", MAX_FORWARDS);
    headers.add("from", `${formatParty(from)};tag=${localTag}`);
    headers.add("to", formatParty(to));
    headers.add("call-id", this.#callId);
    headers.add("cseq", `${++this.#sequence} ${method}`);
    headers.addAll(fields(destination));
    if (this.#core.userAgentName !== undefined) headers.add("user-agent", this.#core.userAgentName);
    const request = { method, requestUri, headers, body: "" };
    if (this.#digest !== undefined) headers.addAll(this.#digest.authorize(request));
    return new Promise((resolve) => {
      const call: OpenCall = {
        close: () => Promise.resolve(),
        abandon: () => settle({ failure: "closed" }),
      };
      const settle = (reply: DialogReply): void => {
        this.#core.openCalls.delete(call);
        resolve(reply);
      };
      this.#core.openCalls.add(call);
      this.#core.layer.sendRequest(request, destination, {
        onResponse: (response) => {
          if (response.status >= 200) settle({ response });
        },
        onFailure: (failure) => settle({ failure }),
        onNextHop: (hop) => {
          for (const [name, value] of Object.entries(fields(hop))) headers.set(name, String(value));
        },
      });
    });
  }
}
