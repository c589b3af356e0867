import { randomInt } from "node:crypto";
import { parseUri } from "../grammar/uri.ts";
import { HeaderList, type HeaderFields } from "../messages/header-list.ts";
import { addressesOf, type OutgoingRequest, type SipRequest, type SipResponse } from "../messages/message.ts";

export const MAX_FORWARDS = "70";

export interface DialogIdentity {
  callId: string;
  localTag: string;
  remoteTag: string;
}

/** RFC 3261 §12: a dialog is identified by its Call-ID and both tags. */
export function dialogKey({ callId, localTag, remoteTag }: DialogIdentity): string {
  return `${callId}\n${localTag}\n${remoteTag}`;
}

/** The key of the dialog to which a received request belongs. */
export function dialogKeyOfRequest(request: SipRequest): string {
  return dialogKey({
    callId: request.callId,
    localTag: request.to.parameters.get("tag") ?? "",
    remoteTag: request.from.parameters.get("tag") ?? "",
  });
}

export interface DialogState extends DialogIdentity {
  /** From and To as this side writes them, without tags. */
  localAddress: string;
  remoteAddress: string;
  /** The peer's Contact URI. */
  remoteTarget: string;
  /** Proxy URIs that requests pass through, nearest first. */
  routeSet: readonly string[];
  /** The last sent CSeq number. */
  localSequence: number;
  /** The last received CSeq number; `undefined` before the first request. */
  remoteSequence: number | undefined;
}

/** The state that both ends of a call keep (RFC 3261 §12). */
export class Dialog {
  /** Early until a 2xx to the INVITE confirms it. */
  isConfirmed: boolean;
  readonly #state: DialogState;

  constructor(state: DialogState, isConfirmed: boolean) {
    this.#state = state;
    this.isConfirmed = isConfirmed;
  }

  /** §12.1.1: the dialog of the called side; `undefined` if the request has no usable Contact or Record-Route. */
  static asServer(invite: SipRequest, localTag: string): Dialog | undefined {
    const remoteTarget = contactUri(invite.headers);
    const routes = addressesOf(invite.headers, "record-route");
    if (remoteTarget === undefined || routes === undefined) return undefined;
    return new Dialog(
      {
        callId: invite.callId,
        localTag,
        remoteTag: invite.from.parameters.get("tag") ?? "",
        localAddress: withoutTag(invite.headers.get("to") ?? ""),
        remoteAddress: withoutTag(invite.headers.get("from") ?? ""),
        remoteTarget,
        routeSet: routes.map((route) => route.uri),
        localSequence: randomInt(1, 2 ** 16),
        remoteSequence: invite.cseq.sequence,
      },
      false,
    );
  }

  /**
   * §12.1.2: the dialog of the calling side. If the response has no usable Contact, the Request-URI becomes the
   * target, so that the call can still be acknowledged and ended.
   */
  static asClient(invite: OutgoingRequest, response: SipResponse): Dialog {
    const routes = addressesOf(response.headers, "record-route") ?? [];
    return new Dialog(
      {
        callId: response.callId,
        localTag: response.from.parameters.get("tag") ?? "",
        remoteTag: response.to.parameters.get("tag") ?? "",
        localAddress: withoutTag(invite.headers.get("from") ?? ""),
        remoteAddress: withoutTag(invite.headers.get("to") ?? ""),
        remoteTarget: contactUri(response.headers) ?? invite.requestUri,
        routeSet: routes.map((route) => route.uri).reverse(),
        localSequence: response.cseq.sequence,
        remoteSequence: undefined,
      },
      response.status >= 200,
    );
  }

  get key(): string {
    return dialogKey(this.#state);
  }

  get callId(): string {
    return this.#state.callId;
  }

  get remoteTag(): string {
    return this.#state.remoteTag;
  }

  /** The URI of the next hop: the nearest route, or the peer itself (§12.2.1.1). */
  get nextHopUri(): string {
    return this.#state.routeSet[0] ?? this.#state.remoteTarget;
  }

  /** True if requests pass through proxies. */
  get hasRoutes(): boolean {
    return this.#state.routeSet.length > 0;
  }

  /** §12.2.1.1: a request inside the dialog. */
  createRequest(method: string, headers: HeaderFields = {}): OutgoingRequest {
    this.#state.localSequence++;
    return this.#build(method, this.#state.localSequence, headers);
  }

  /** §13.2.2.4: the ACK of a 2xx repeats the CSeq number of its INVITE. */
  createAck(inviteSequence: number): OutgoingRequest {
    return this.#build("ACK", inviteSequence, {});
  }

  get identity(): DialogIdentity {
    const { callId, localTag, remoteTag } = this.#state;
    return { callId, localTag, remoteTag };
  }

  /**
   * §13.2.2.4: a 2xx confirms an early dialog and replaces its route set. The CSeq numbers of requests sent in
   * the meantime (PRACK, UPDATE) remain.
   */
  confirm(response: SipResponse): void {
    this.isConfirmed = true;
    const routes = addressesOf(response.headers, "record-route");
    if (routes !== undefined) this.#state.routeSet = routes.map(({ uri }) => uri).reverse();
    this.refreshTarget(response);
  }

  #build(method: string, sequence: number, fields: HeaderFields): OutgoingRequest {
    const { localAddress, localTag, remoteAddress, remoteTag, callId } = this.#state;
    const { requestUri, routes } = this.#routing();
    const headers = new HeaderList();
    for (const route of routes) headers.add("route", `<${route}>`);
    headers.add("max-forwards", MAX_FORWARDS);
    headers.add("from", `${localAddress};tag=${localTag}`);
    // An RFC 2543 peer has no tag (§12.2.1.1).
    headers.add("to", remoteTag === "" ? remoteAddress : `${remoteAddress};tag=${remoteTag}`);
    headers.add("call-id", callId);
    headers.add("cseq", `${sequence} ${method}`);
    headers.addAll(fields);
    return { method, requestUri, headers, body: "" };
  }

  /**
   * §12.2.1.1: if the first route is a strict router, it becomes the Request-URI and the target becomes the last
   * route.
   */
  #routing(): { requestUri: string; routes: readonly string[] } {
    const { routeSet, remoteTarget } = this.#state;
    const [first, ...rest] = routeSet;
    if (first === undefined) return { requestUri: remoteTarget, routes: [] };
    const uri = parseUri(first);
    const isLoose = uri === undefined || uri.parameters.has("lr");
    return isLoose
      ? { requestUri: remoteTarget, routes: routeSet }
      : { requestUri: first, routes: [...rest, remoteTarget] };
  }

  /** §12.2.2: accepts the CSeq of a request other than ACK and CANCEL; `false` if it is lower than the last one. */
  acceptSequence(sequence: number): boolean {
    const { remoteSequence } = this.#state;
    if (remoteSequence !== undefined && sequence < remoteSequence) return false;
    this.#state.remoteSequence = sequence;
    return true;
  }

  /** §12.2: the Contact of a target refresh (re-INVITE, UPDATE or their 2xx) replaces the remote target. */
  refreshTarget({ headers }: SipRequest | SipResponse): void {
    this.#state.remoteTarget = contactUri(headers) ?? this.#state.remoteTarget;
  }
}

/** The URI of the single Contact that an INVITE or its 2xx must have (§8.1.1.8, §12.1.1). */
function contactUri(headers: HeaderList): string | undefined {
  const contacts = addressesOf(headers, "contact");
  const contact = contacts?.[0];
  if (contact === undefined || contacts?.length !== 1) return undefined;
  const uri = parseUri(contact.uri);
  return uri === undefined || uri.scheme === "tel" ? undefined : contact.uri;
}

/** From or To without its tag; a bare URI gets angle brackets, which parameters require. */
function withoutTag(value: string): string {
  const close = value.lastIndexOf(">");
  if (close === -1) return `<${value.split(";", 1)[0]?.trim() ?? ""}>`;
  const parts = value.slice(close + 1).split(";");
  const tag = parts.findIndex((part) => /^\s*tag\s*=/i.test(part));
  return value.slice(0, close + 1) + parts.filter((_part, index) => index !== tag).join(";");
}
