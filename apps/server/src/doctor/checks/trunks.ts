import { type CheckedTrunk, checkTrunk, type SipEndpoint } from "../../modules/sip-trunks/trunk-check.ts";
import { systemClock } from "../../platform/clock.ts";
import { type Check, failed, type Finding, ok, skipped } from "../finding.ts";

/** Each takes up to 10 s when the trunk does not answer. */
const TRUNKS_AT_ONCE = 8;

/** Whether the trunks with a `proxyAddress` answer. */
export function trunksCheck(findTrunks: () => Promise<readonly CheckedTrunk[]>, end: SipEndpoint): Check {
  return {
    name: "trunks",
    run: async () => {
      const trunks = await findTrunks();
      if (trunks.length === 0)
        return skipped("No trunk has a proxyAddress: only inbound calls are possible.");
      const waiting = [...trunks];
      const findings: Finding[] = [];
      const work = async (): Promise<void> => {
        for (let trunk = waiting.shift(); trunk !== undefined; trunk = waiting.shift())
          findings.push(await judge(end, trunk));
      };
      await Promise.all(Array.from({ length: TRUNKS_AT_ONCE }, work));
      return findings;
    },
  };
}

async function judge(end: SipEndpoint, checked: CheckedTrunk): Promise<Finding> {
  const { isOk, message } = await checkTrunk(end, checked, { clock: systemClock, isPrivateAllowed: true });
  const text = `Trunk "${checked.trunk.friendlyName}": ${message}`;
  if (isOk) return ok(text);
  return failed(
    text,
    "Correct proxyAddress, transport or credentials of the trunk (PATCH /v1/sip-trunks/{id}).",
  );
}
