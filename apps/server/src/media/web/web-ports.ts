import type { PortRange } from "@parley/rtp";

/** The part of the ports for browsers that the process `index` of `count` has to itself; there are at least `count`. */
export function sliceWebPorts({ first, last }: PortRange, index: number, count: number): PortRange {
  const ports = last - first + 1;
  const from = first + Math.floor((ports * index) / count);
  return { first: from, last: first + Math.floor((ports * (index + 1)) / count) - 1 };
}
