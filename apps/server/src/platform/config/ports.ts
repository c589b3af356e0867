/** Both limits are included. */
export interface PortRange {
  first: number;
  last: number;
}

export function parsePortRange(value: string): PortRange {
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []).map(Number);
  if (first === undefined || last === undefined || first < 1 || last > 65_535 || first >= last) {
    throw new Error(`must be a port range such as 20000-29999, not "${value}"`);
  }
  return { first, last };
}

export function parsePortOrRange(value: string): PortRange {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : undefined;
  if (port !== undefined && port >= 1 && port <= 65_535) return { first: port, last: port };
  return parsePortRange(value);
}
