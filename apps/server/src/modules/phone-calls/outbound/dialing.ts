import type { InviteOptions } from "@parley/sip";
import type { OutgoingRoute } from "../../sip-trunks/sip-trunks.service.ts";

/** Redirections of one call that are followed. */
const MAX_REDIRECTS = 3;

/** What every INVITE to a number by this route has. */
export function dialing(route: OutgoingRoute, toNumber: string) {
  return {
    to: route.uriOf(toNumber),
    from: route.from,
    // Many carriers read the caller ID from P-Asserted-Identity (RFC 3325).
    identity: { asserted: route.from },
    destination: route.destination,
    routes: route.serviceRoutes,
    maxRedirects: MAX_REDIRECTS,
    ...(route.credentials !== undefined && { credentials: route.credentials }),
  } satisfies Partial<InviteOptions>;
}
