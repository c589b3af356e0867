import assert from "node:assert/strict";
import type { Session } from "../user-agent/session/session.ts";
import { UserAgent } from "../user-agent/user-agent.ts";
import type { UserAgentOptions } from "../user-agent/user-agent-options.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryNetwork } from "./memory-network.ts";
import { failingResolver } from "./failing-resolver.ts";
import { ScriptedPeer } from "./scripted-peer.ts";

/** Longer than every timer of an idle user agent; no state may be left after it. */
const ALL_TIMERS_MS = 200_000;

export interface Rig {
  clock: ManualClock;
  network: MemoryNetwork;
  ua: UserAgent;
  peer: ScriptedPeer;
}

/** Ends a session from the user agent's side; the peer answers the BYE. */
export async function hangUp({ clock, peer }: Rig, session: Session): Promise<void> {
  const done = session.bye();
  await clock.advance(0);
  peer.respond(peer.last("BYE"), 200);
  await clock.advance(0);
  await done;
}

/** Runs every timer, then asserts that no transaction, dialog, call or timer is left. */
export async function assertNothingLeft({ clock, ua }: Rig): Promise<void> {
  await clock.advance(ALL_TIMERS_MS);
  assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
  assert.equal(clock.pendingCount, 0);
}

/** A user agent at 10.0.0.1 and a scripted peer at 10.0.0.2 on a perfect network. */
export function createRig(options: Partial<UserAgentOptions> = {}): Rig {
  const clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  const transport = network.transport({ address: "10.0.0.1", port: 5060 });
  const ua = UserAgent.on(transport, {
    clock,
    resolver: failingResolver,
    onInvite: (invite) => invite.reject(486),
    onError: assert.ifError,
    ...options,
  });
  const peer = new ScriptedPeer(network.transport({ address: "10.0.0.2", port: 5060 }), ua.address);
  return { clock, network, ua, peer };
}
