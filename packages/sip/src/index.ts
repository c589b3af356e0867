export { type Clock, systemClock, type Timer } from "./clock.ts";
export {
  UserAgent,
  type OptionsRequest,
  type OptionsResult,
  type UserAgentOptions,
} from "./user-agent/user-agent.ts";
export type { AcceptResult, IncomingInvite, InviteEnd } from "./user-agent/incoming-invite.ts";
export type {
  InviteOptions,
  InviteResult,
  Party,
  ProvisionalResponse,
} from "./user-agent/outgoing-invite.ts";
export type { ReinviteAnswer, Session, SessionEnd } from "./user-agent/session.ts";
export type { MessageTrace } from "./transactions/transaction-layer.ts";
export type { Hop, SocketAddress, Transport, TransportProtocol } from "./transport/transport.ts";
export { Locator, type NextHop } from "./transport/locate.ts";
export type { TlsOptions } from "./transport/stream-transport.ts";
export { parseUri, type SipUri, type TelUri, type Uri } from "./grammar/uri.ts";
export type { NameAddress } from "./grammar/name-address.ts";
export { HeaderList, type HeaderFields } from "./messages/header-list.ts";
export type { SipMessage, SipRequest, SipResponse } from "./messages/message.ts";
export { parseMessage, type ParseFailure, type ParseResult } from "./messages/parse.ts";
export type { DigestAlgorithm } from "./digest/algorithm.ts";
export {
  DigestAuthenticator,
  type DigestAuthenticatorOptions,
  type DigestVerdict,
} from "./digest/authenticator.ts";
export type { DigestCredentials } from "./digest/client.ts";
export {
  acceptAnswer,
  answerOffer,
  type AudioCodec,
  type AudioSettings,
  buildOffer,
  findOfferedCodec,
  type MediaDirection,
  type NegotiatedAudio,
  type NegotiationResult,
} from "./sdp/negotiate.ts";
export { type CryptoSuite, LocalSrtpKeys, type NegotiatedSrtp } from "./sdp/crypto.ts";
