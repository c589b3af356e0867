/** An ICE server as `RTCPeerConnection` takes it. */
export interface IceServer {
  urls: string;
  username?: string;
  credential?: string;
}

/** One link: its target in angle brackets and its parameters, which may hold commas in quotes (RFC 8288, section 3). */
const linkPattern = /<([^>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const parameterPattern = /;\s*([\w*-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** The STUN and TURN servers in a `Link` header (RFC 9725, section 4.6). */
export function readIceServers(header: string | null): IceServer[] {
  return [...(header ?? "").matchAll(linkPattern)].flatMap(([, urls = "", text = ""]) => {
    const parameters = readParameters(text);
    if (parameters.get("rel")?.toLowerCase() !== "ice-server" || !/^(stun|turn)s?:/i.test(urls)) return [];
    const [username, credential] = [parameters.get("username"), parameters.get("credential")];
    return [
      { urls, ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) },
    ];
  });
}

function readParameters(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(parameterPattern)].map(([, name = "", quoted, bare = ""]) => [
      name.toLowerCase(),
      quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, "$1"),
    ]),
  );
}
