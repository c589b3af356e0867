import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** One tool request as the server received it. */
export interface ToolRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** True once the platform has given up or the response is sent. */
  isOver: boolean;
}

/** A customer's server with tools. `answer` may leave a request unanswered. */
export class ToolServer {
  readonly requests: ToolRequest[] = [];
  readonly #server: Server;

  static async start(answer: (request: ToolRequest, response: ServerResponse) => void): Promise<ToolServer> {
    const server = new ToolServer(answer);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  private constructor(answer: (request: ToolRequest, response: ServerResponse) => void) {
    this.#server = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        const request = { path: incoming.url ?? "", headers: incoming.headers, body, isOver: false };
        response.on("close", () => (request.isOver = true));
        this.requests.push(request);
        answer(request, response);
      });
    });
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Returns the last request of the tool at `path`. */
  last(path: string): ToolRequest | undefined {
    return this.requests.findLast((request) => request.path.startsWith(path));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
