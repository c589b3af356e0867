import type { UserAgentOptions } from "@parley/sip";
import { SystemResolver } from "@parley/sip/resolver";
import type { ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { CallCommands } from "../active-calls/call-commands.ts";
import type { CallPlacement } from "../active-calls/call-placement.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallQuota } from "../calls/call-quota.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { DoNotCallService } from "../do-not-call/do-not-call.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { InboundNumbers } from "../phone-numbers/inbound-numbers.ts";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import type { SipTraceRecorder } from "../sip-traces/sip-trace.recorder.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { CallControl } from "./call-control.ts";
import { InboundAdmission } from "./inbound-admission.ts";
import { LoopbackCallsService } from "./loopback/loopback-calls.service.ts";
import { LoopbackEndpoint } from "./loopback/loopback-endpoint.ts";
import { OutboundCallsService } from "./outbound/outbound-calls.service.ts";
import { OutboundPlanner } from "./outbound/outbound-planner.ts";
import type { PhoneSessions } from "./phone-session.ts";
import { CallTransfers } from "./transfers/call-transfers.ts";
import { bindPhoneCallRoutes } from "./phone-calls.routes.ts";

type SipHandlers = Pick<
  UserAgentOptions,
  "onInvite" | "screenInvite" | "mayReject" | "onMessage" | "onOptions"
>;

interface Dependencies {
  calls: CallsService;
  callQuota: CallQuota;
  activeCalls: ActiveCallRegistry;
  callCommands: CallCommands;
  placement: CallPlacement;
  phoneNumbers: PhoneNumbersService;
  inboundNumbers: InboundNumbers;
  sipTraceRecorder: SipTraceRecorder | undefined;
  sipTrunks: SipTrunksService;
  agentResolution: AgentResolution;
  organizations: OrganizationsService;
  doNotCall: DoNotCallService;
}

export function createPhoneCalls(
  { config, nodeId, database, media, speechPlaces, sip, clock, logger }: NodeResources,
  dependencies: Dependencies,
) {
  const { calls, activeCalls, callCommands, placement, phoneNumbers, sipTraceRecorder } = dependencies;
  const { publicAddress, inboundReservePercent } = config;
  const sessions: PhoneSessions = new WeakMap();
  const resolver = new SystemResolver();
  const planner = new OutboundPlanner(dependencies);
  const transfers = new CallTransfers({
    planner,
    sip,
    sessions,
    publicAddress,
    sipTraces: sipTraceRecorder,
    resolver,
  });
  const shared = {
    nodeId,
    calls,
    activeCalls,
    media,
    speechPlaces,
    sessions,
    transfers,
    resolver,
    clock,
    logger,
  };
  const outboundCalls = new OutboundCallsService({
    ...shared,
    planner,
    placement,
    sip,
    inboundReservePercent,
    publicAddress,
  });
  callCommands.handle({
    dial: async (callId, command) => await outboundCalls.dialPlaced(callId, command),
  });
  const callControl = new CallControl({
    ...shared,
    phoneNumbers,
    admission: new InboundAdmission({ ...dependencies, logger }),
    publicAddress,
    sipTraces: sipTraceRecorder,
  });
  const endpoint = new LoopbackEndpoint({
    onMessage: sipTraceRecorder && ((message) => sipTraceRecorder.observe(message)),
    logger,
  });
  const loopbackCalls = new LoopbackCallsService({ ...shared, database, endpoint, inboundReservePercent });
  const sipHandlers = sipHandlersOf(callControl, sipTraceRecorder);
  return {
    services: { outboundCalls, outboundPlanner: planner, loopbackCalls, sipHandlers },
    bindRoutes: (app) => bindPhoneCallRoutes(app, outboundCalls),
    close: async () => await endpoint.close(),
  } satisfies Feature;
}

/** Returns the handlers of incoming SIP requests. */
function sipHandlersOf(control: CallControl, recorder: SipTraceRecorder | undefined): SipHandlers {
  return {
    onInvite: (invite) => control.handleInvite(invite),
    screenInvite: async (invite) => await control.screenInvite(invite),
    mayReject: ({ address }) => control.mayReject(address),
    onOptions: () => control.answerOptions(),
    ...(recorder !== undefined && { onMessage: (message) => recorder.observe(message) }),
  };
}
