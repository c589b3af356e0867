import { randomBytes } from "node:crypto";
import { type ReceivedStunMessage, type StunMessage, writeStun } from "./stun-message.ts";
import { addressKey, type TransportAddress } from "./transport-address.ts";

/** Credentials of one side for one ICE generation. */
export interface IceCredentials {
  ufrag: string;
  pwd: string;
}

interface IceAgentOptions {
  local: IceCredentials;
  remote: IceCredentials;
  send: (datagram: Buffer, to: TransportAddress) => void;
  /** Called when the peer has nominated a valid path, and again when it nominates another. */
  onNominated: () => void;
  /** Called when the peer has answered a request sent by `check`. */
  onAnswered: (transactionId: Buffer) => void;
}

/** Candidate pair. All pairs share the local socket. */
interface Pair {
  readonly remote: TransportAddress;
  /** Transaction of the current check, or of the one that was answered. */
  transactionId: Buffer;
  /** Tick of the next transmission; `undefined` if no check is in progress. */
  dueTick: number | undefined;
  sendCount: number;
  /** Whether the peer has answered a check. */
  isValid: boolean;
  isNominationRequested: boolean;
  /** Transaction of the last consent request. */
  passedId: Buffer | undefined;
}

/** Interval between checks (Ta, RFC 8445 §14.2). */
const PACING_MS = 50;
/** Time before the first retransmission, doubled each time (RTO, RFC 8445 §14.3). */
const RETRANSMISSION_TICKS = 10;
/** Transmissions per check, within 7.5 s. A request of the peer starts another check. */
const MAX_TRANSMISSIONS = 5;
/** Only a peer with the credentials can add pairs. */
const MAX_PAIRS = 32;
/** Priority of a peer-reflexive candidate with the highest local preference (RFC 8445 §5.1.2.1). */
const PRIORITY = 110 * 2 ** 24 + 65_535 * 2 ** 8 + 255;
const ROLE_CONFLICT = 487;
const UNKNOWN_ATTRIBUTE = 420;

/** New credentials with at least 24 and 128 random bits (RFC 8839 §5.4). */
export function createIceCredentials(): IceCredentials {
  return { ufrag: randomBytes(6).toString("base64"), pwd: randomBytes(18).toString("base64") };
}

/**
 * Controlled ICE agent (RFC 8445) for one generation. The peer offers and therefore nominates; its last nomination is used, so
 * that it can change the path later. The caller owns the socket.
 */
export class IceAgent {
  readonly #options: IceAgentOptions;
  readonly #pairs = new Map<string, Pair>();
  #nominated: Pair | undefined;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: IceAgentOptions) {
    this.#options = options;
  }

  get localUfrag(): string {
    return this.#options.local.ufrag;
  }

  get remoteUfrag(): string {
    return this.#options.remote.ufrag;
  }

  /** The nominated path; `undefined` before a nomination. */
  get nominated(): TransportAddress | undefined {
    return this.#nominated?.remote;
  }

  /** Whether the peer has authenticated from this address. */
  knows(from: TransportAddress): boolean {
    return this.#pairs.get(addressKey(from))?.isValid === true;
  }

  /** Adds an address that the peer offers, and checks it. */
  addCandidate(remote: TransportAddress): void {
    const pair = this.#pairOf(remote);
    if (pair !== undefined) this.#trigger(pair);
  }

  /** Asks on the nominated path whether the peer still consents to receive (RFC 7675). */
  check(transactionId: Buffer): void {
    const pair = this.#nominated;
    if (pair === undefined || this.#isClosed) return;
    pair.passedId = transactionId;
    this.#send(this.#request(transactionId), pair.remote, this.#options.remote);
  }

  receive(message: ReceivedStunMessage, from: TransportAddress): void {
    if (this.#isClosed) return;
    if (message.class === "request") this.#receiveRequest(message, from);
    if (message.class === "success") this.#receiveSuccess(message, from);
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #receiveRequest(message: ReceivedStunMessage, from: TransportAddress): void {
    const { local, remote } = this.#options;
    if (message.username !== `${local.ufrag}:${remote.ufrag}` || !message.isAuthentic(local.pwd)) return;
    const { transactionId } = message;
    const refuse = (errorCode: number, rest: Partial<StunMessage> = {}): void =>
      this.#send({ class: "error", transactionId, errorCode, ...rest }, from, local);
    if (message.notUnderstood.length > 0)
      return refuse(UNKNOWN_ATTRIBUTE, { unknownAttributes: message.notUnderstood });
    if (message.controlled !== undefined) return refuse(ROLE_CONFLICT);
    const pair = this.#pairOf(from);
    if (pair === undefined) return;
    this.#send({ class: "success", transactionId, mappedAddress: from }, from, local);
    if (message.useCandidate === true) pair.isNominationRequested = true;
    if (!pair.isValid) this.#trigger(pair);
    else if (message.useCandidate === true) this.#nominate(pair);
  }

  #receiveSuccess(message: ReceivedStunMessage, from: TransportAddress): void {
    const pair = this.#pairs.get(addressKey(from));
    if (pair === undefined || !message.isAuthentic(this.#options.remote.pwd)) return;
    const { transactionId } = message;
    if (pair.passedId?.equals(transactionId) === true) return this.#options.onAnswered(transactionId);
    if (!pair.transactionId.equals(transactionId)) return;
    pair.dueTick = undefined;
    pair.isValid = true;
    if (pair.isNominationRequested) this.#nominate(pair);
  }

  #nominate(pair: Pair): void {
    pair.isNominationRequested = false;
    if (this.#nominated === pair) return;
    this.#nominated = pair;
    // Other pairs are checked only if the peer asks for them.
    for (const other of this.#pairs.values()) if (!other.isNominationRequested) other.dueTick = undefined;
    this.#options.onNominated();
  }

  /** Returns the pair, created if needed; `undefined` if there are too many. */
  #pairOf(remote: TransportAddress): Pair | undefined {
    const key = addressKey(remote);
    const known = this.#pairs.get(key);
    if (known !== undefined || this.#pairs.size >= MAX_PAIRS) return known;
    const pair: Pair = {
      remote,
      transactionId: randomBytes(12),
      dueTick: undefined,
      sendCount: 0,
      isValid: false,
      isNominationRequested: false,
      passedId: undefined,
    };
    this.#pairs.set(key, pair);
    return pair;
  }

  /** Starts a triggered check (RFC 8445 §7.3.1.4) unless one is in progress. */
  #trigger(pair: Pair): void {
    if (this.#isClosed || pair.isValid || pair.dueTick !== undefined) return;
    pair.transactionId = randomBytes(12);
    pair.dueTick = this.#tick;
    pair.sendCount = 0;
    this.#timer ??= setInterval(() => this.#sendNext(), PACING_MS);
  }

  /** Sends at most one check per interval: bursts overload NATs. */
  #sendNext(): void {
    this.#tick++;
    let isAnyLeft = false;
    let next: Pair | undefined;
    for (const pair of this.#pairs.values()) {
      if (pair.dueTick === undefined) continue;
      isAnyLeft = true;
      if (pair.dueTick <= this.#tick && pair.dueTick < (next?.dueTick ?? Infinity)) next = pair;
    }
    if (next !== undefined) this.#sendCheck(next);
    if (isAnyLeft) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sendCheck(pair: Pair): void {
    if (pair.sendCount === MAX_TRANSMISSIONS) {
      pair.dueTick = undefined;
      return;
    }
    pair.dueTick = this.#tick + RETRANSMISSION_TICKS * 2 ** pair.sendCount;
    pair.sendCount++;
    this.#send(this.#request(pair.transactionId), pair.remote, this.#options.remote);
  }

  #request(transactionId: Buffer): StunMessage {
    const { local, remote } = this.#options;
    return {
      class: "request",
      transactionId,
      username: `${remote.ufrag}:${local.ufrag}`,
      priority: PRIORITY,
      // With the smallest tie-breaker the peer changes its role in a conflict (RFC 8445 §7.3.1.1).
      controlled: 0n,
    };
  }

  #send(message: StunMessage, to: TransportAddress, { pwd }: IceCredentials): void {
    this.#options.send(writeStun(message, pwd), to);
  }
}
