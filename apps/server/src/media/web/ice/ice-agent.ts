import { randomBytes } from "node:crypto";
import { type ReceivedStunMessage, type StunMessage, writeStun } from "./stun-message.ts";
import { addressKey, type TransportAddress } from "./transport-address.ts";

/** Of one side, for one generation of ICE. */
export interface IceCredentials {
  ufrag: string;
  pwd: string;
}

interface IceAgentOptions {
  local: IceCredentials;
  remote: IceCredentials;
  send: (datagram: Buffer, to: TransportAddress) => void;
  /** The peer has chosen a path that works both ways; again where it chooses another. */
  onNominated: () => void;
  /** The peer has answered a check that was made by `check`. */
  onAnswered: (transactionId: Buffer) => void;
}

/** A path to the peer; our end of all is the same socket. */
interface Pair {
  readonly remote: TransportAddress;
  /** Of the check under way, or the one that was answered. */
  transactionId: Buffer;
  /** When the check is sent next, while one is under way. */
  dueTick: number | undefined;
  sendCount: number;
  /** A check of ours was answered. */
  isValid: boolean;
  isNominationRequested: boolean;
  /** The last that `check` was given. */
  passedId: Buffer | undefined;
}

/** Between checks (RFC 8445 §14.2: Ta). */
const PACING_MS = 50;
/** After the first sending of a check, then twice as long each time (RFC 8445 §14.3: RTO). */
const RETRANSMISSION_TICKS = 10;
/** Within 7.5 s; a check by the peer begins anew. */
const MOST_SENDINGS = 5;
/** Only who knows the credentials makes one. */
const MOST_PAIRS = 32;
/** Of a peer-reflexive candidate (RFC 8445 §5.1.2.1), the only one. */
const PRIORITY = 110 * 2 ** 24 + 65_535 * 2 ** 8 + 255;
const ROLE_CONFLICT = 487;
const UNKNOWN_ATTRIBUTE = 420;

/** Fresh ones (RFC 8839 §5.4: 24 and 128 bits of randomness at least). */
export function createIceCredentials(): IceCredentials {
  return { ufrag: randomBytes(6).toString("base64"), pwd: randomBytes(18).toString("base64") };
}

/**
 * A controlled agent (RFC 8445) of one generation on one socket, which is its caller's: the peer offers, so it chooses the
 * path. The path that it named last is taken, so that it can change it also later.
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

  /** The path that the peer chose; undefined before. */
  get nominated(): TransportAddress | undefined {
    return this.#nominated?.remote;
  }

  /** Whether the peer has shown who it is from there. */
  knows(from: TransportAddress): boolean {
    return this.#pairs.get(addressKey(from))?.isValid === true;
  }

  /** Where the peer says that it may be reached. */
  addCandidate(remote: TransportAddress): void {
    const pair = this.#pairOf(remote);
    if (pair !== undefined) this.#trigger(pair);
  }

  /** Asks over the chosen path whether the peer still agrees to be sent to (RFC 7675). */
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
    // The others need not be tried any more, unless the peer does.
    for (const other of this.#pairs.values()) if (!other.isNominationRequested) other.dueTick = undefined;
    this.#options.onNominated();
  }

  /** Undefined where there are too many. */
  #pairOf(remote: TransportAddress): Pair | undefined {
    const key = addressKey(remote);
    const known = this.#pairs.get(key);
    if (known !== undefined || this.#pairs.size >= MOST_PAIRS) return known;
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

  /** A triggered check (RFC 8445 §7.3.1.4), unless one is under way. */
  #trigger(pair: Pair): void {
    if (this.#isClosed || pair.isValid || pair.dueTick !== undefined) return;
    pair.transactionId = randomBytes(12);
    pair.dueTick = this.#tick;
    pair.sendCount = 0;
    this.#timer ??= setInterval(() => this.#sendNext(), PACING_MS);
  }

  /** One check at a time, so that no burst of them meets a NAT. */
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
    if (pair.sendCount === MOST_SENDINGS) {
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
      // The smallest tie-breaker: in a conflict the peer takes the other role, never we (RFC 8445 §7.3.1.1).
      controlled: 0n,
    };
  }

  #send(message: StunMessage, to: TransportAddress, { pwd }: IceCredentials): void {
    this.#options.send(writeStun(message, pwd), to);
  }
}
