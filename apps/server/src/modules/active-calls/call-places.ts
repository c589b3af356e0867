import type { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import type { MediaPool } from "../../media/media-pool.ts";
import type { MediaPlace } from "../../media/place-reservations.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { ActiveCallRegistry } from "./active-call-registry.ts";

/** Limits on the number of calls of this node. */
export interface CallPlaces {
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "placeShares">;
  media: Pick<MediaPool, "freePlaces" | "hasFreePlace" | "reserve">;
  speechPlaces: LocalSpeechPlaces;
}

type Agent = Pick<ResolvedAgent, "document" | "organizationId">;

/** Returns whether this node can take a call of this agent now. */
export function hasPlaceFor(places: CallPlaces, agent: Agent): boolean {
  return isOpenFor(places, agent) && places.speechPlaces.hasPlaceFor(agent.document.voiceId ?? "");
}

/** A place of a call on this node, to the call's end. */
export interface CallPlace extends Disposable {
  media: MediaPlace;
}

/**
 * Takes a place for a call of this agent until it is disposed; `undefined` if none is free. Its media is reserved before
 * it is opened, because the call's preparation may take seconds.
 */
export function takePlace(places: CallPlaces, agent: Agent): CallPlace | undefined {
  if (!isOpenFor(places, agent)) return undefined;
  const speech = places.speechPlaces.take(agent.document.voiceId ?? "");
  const place = speech && takeMediaPlace(places, agent);
  if (place === undefined) speech?.[Symbol.dispose]();
  return place && { media: place.media, [Symbol.dispose]: () => disposeAll([place, speech]) };
}

/** Takes a place for a call whose speech has its places; `undefined` if none is free. */
function takeMediaPlace(
  { media, activeCalls }: CallPlaces,
  { organizationId }: Agent,
): CallPlace | undefined {
  const reserved = media.reserve();
  if (reserved === undefined) return undefined;
  const share = activeCalls.placeShares.take(organizationId);
  return { media: reserved, [Symbol.dispose]: () => disposeAll([share, reserved]) };
}

/** Both sides of a test call have a place on this node, to the end of the call. */
export interface TestCallPlaces extends Disposable {
  agent: CallPlace;
  tester: CallPlace;
}

/** Takes the places of both sides of a test call, or none: `undefined` if they are not free. */
export function takeTestPlaces(places: CallPlaces, agent: Agent, tester: Agent): TestCallPlaces | undefined {
  if (!isOpenFor(places, agent) || places.media.freePlaces < 2) return undefined;
  const speech = places.speechPlaces.takeForTest(
    [agent, tester].map(({ document }) => document.voiceId ?? ""),
  );
  if (speech === undefined) return undefined;
  const agentPlace = takeMediaPlace(places, agent);
  const testerPlace = agentPlace && takeMediaPlace(places, tester);
  const taken = [speech, ...(agentPlace ? [agentPlace] : []), ...(testerPlace ? [testerPlace] : [])];
  const dispose = (): void => disposeAll(taken);
  if (agentPlace !== undefined && testerPlace !== undefined)
    return { agent: agentPlace, tester: testerPlace, [Symbol.dispose]: dispose };
  dispose();
  return undefined;
}

function disposeAll(resources: readonly Disposable[]): void {
  for (const resource of resources) resource[Symbol.dispose]();
}

/** Returns how many free places this node has beyond the share that is reserved for inbound calls. */
export function countUnreservedPlaces(
  { activeCalls, media, speechPlaces }: CallPlaces & { activeCalls: Pick<ActiveCallRegistry, "size"> },
  inboundReservePercent: number,
): number {
  if (!activeCalls.isTakingCalls) return 0;
  const free = Math.min(media.freePlaces, speechPlaces.free);
  return free - Math.floor(((activeCalls.size + free) * inboundReservePercent) / 100);
}

function isOpenFor({ activeCalls, media, speechPlaces }: CallPlaces, { organizationId }: Agent): boolean {
  if (!activeCalls.isTakingCalls || !media.hasFreePlace) return false;
  return activeCalls.placeShares.isAllowed(organizationId, Math.min(media.freePlaces, speechPlaces.free));
}
