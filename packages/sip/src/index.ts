/**
 * A SIP stack: a user agent that places and answers calls, and the parts that it consists of.
 *
 * @module sip
 */
export { type Clock, systemClock, type Timer } from "./clock.ts";
export { UserAgent } from "./user-agent/user-agent.ts";
export type {
  InviteToScreen,
  OptionsRequest,
  OptionsResult,
  RegistrationQuery,
  UserAgentOptions,
} from "./user-agent/user-agent-options.ts";
export type { AcceptResult, IncomingInvite, InviteEnd } from "./user-agent/invite/incoming-invite.ts";
export type {
  InviteFailure,
  InviteOptions,
  InviteResult,
  ProvisionalResponse,
} from "./user-agent/invite/invite-options.ts";
export {
  type CallerIdentity,
  type IdentityOptions,
  type Party,
  readIdentity,
} from "./user-agent/identity.ts";
export {
  type Diversion,
  type HistoryEntry,
  readDiversions,
  readHistory,
} from "./user-agent/invite/diversion.ts";
export type { RequestResult, Session, SessionEnd } from "./user-agent/session/session.ts";
export type { Rejection } from "./user-agent/request-rules.ts";
export type { ReinviteAnswer } from "./user-agent/session/incoming-offers.ts";
export type { OfferResult } from "./user-agent/session/outgoing-offers.ts";
export type { DtmfInfo } from "./user-agent/session/info-dtmf.ts";
export type { Replaces } from "./user-agent/session/replaces.ts";
export type { SessionTimerSettings } from "./user-agent/session/session-timer.ts";
export type { IncomingRefer } from "./subscriptions/incoming-refer.ts";
export type { ReferOptions, ReferResult } from "./subscriptions/outgoing-refer.ts";
export type { ReportedStatus } from "./subscriptions/sipfrag.ts";
export type { Registration, RegistrationOptions, RegistrationState } from "./user-agent/registration.ts";
export type { OptionsPinger, PeerState, PingOptions } from "./user-agent/options-pinger.ts";
export type { MessageTrace } from "./transactions/transaction-layer.ts";
export type { Hop, SocketAddress, Transport, TransportProtocol } from "./transport/transport.ts";
export { locateServer, type NextHop } from "./transport/locate.ts";
export { probeConnection, type ConnectionProbe, type ProbeFailure } from "./transport/probe.ts";
export type { TlsClientOptions, TlsOptions } from "./transport/tls-identity.ts";
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
  type AnswerOptions,
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
export { LocalSrtpKeys } from "./sdp/crypto.ts";
