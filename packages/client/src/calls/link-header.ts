/** An ICE server in the form of `RTCPeerConnection`. */
export interface IceServer {
  urls: string;
  username?: string;
  credential?: string;
}

/**
 * A target in angle brackets, a quoted string (possibly unterminated), a word or a separator (RFC 8288 §3). Every
 * character other than white space belongs to exactly one of these, so that reading takes linear time.
 */
const tokenPattern = /<[^<>]*>|"(?:[^"\\]|\\.)*"?|[^\s<>";,=]+|[^\s]/g;

/** The STUN and TURN servers in a `Link` header (RFC 9725 §4.6). */
export function readIceServers(header: string | null): IceServer[] {
  return readLinks(header ?? "").flatMap(({ urls, parameters }) => {
    if (parameters.get("rel")?.toLowerCase() !== "ice-server" || !/^(stun|turn)s?:/i.test(urls)) return [];
    const [username, credential] = [parameters.get("username"), parameters.get("credential")];
    return [
      { urls, ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) },
    ];
  });
}

interface Link {
  urls: string;
  /** By lower-case name; the last one of several with the same name. */
  parameters: Map<string, string>;
}

function readLinks(header: string): Link[] {
  const tokens = header.match(tokenPattern) ?? [];
  const links: Link[] = [];
  let link: Link | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.length > 1 && token.startsWith("<")) {
      link = { urls: token.slice(1, -1), parameters: new Map() };
      links.push(link);
    } else if (token === ",") link = undefined;
    else if (token === ";") {
      const [name = "", equals, value = ""] = tokens.slice(index + 1, index + 4);
      link?.parameters.set(name.toLowerCase(), equals === "=" ? unquote(value) : "");
    }
  }
  return links;
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}
