import type { PortRange } from "@parley/rtp";

/** Ports of media process `index` of `count`. The range has at least `count` ports. */
export function sliceWebPorts({ first, last }: PortRange, index: number, count: number): PortRange {
  const ports = last - first + 1;
  const from = first + Math.floor((ports * index) / count);
  return { first: from, last: first + Math.floor((ports * (index + 1)) / count) - 1 };
}
