/** Whether a page's origin is on one of these hosts, with the port if the entry has one. No hosts: every page is allowed. */
export function isAllowedOrigin(origin: string, allowedDomains: readonly string[]): boolean {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== "https:" && protocol !== "http:") return false;
  if (allowedDomains.length === 0) return true;
  const actualPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return allowedDomains.some((domain) => {
    const [host = "", allowedPort] = domain.toLowerCase().split(":");
    if (allowedPort !== undefined && allowedPort !== actualPort) return false;
    return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host;
  });
}
