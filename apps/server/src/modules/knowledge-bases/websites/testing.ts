/** For tests of websites: a web server whose pages change. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A page of HTML, or an answer in its own words. */
export type TestPage = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Serves pages by path; others get 404. */
export async function serveWebsite(context: TestContext, pages: Map<string, TestPage>) {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requested.push(path);
    const page = pages.get(path);
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requested };
}

/** An answer with a status, headers and a body. */
export function answer(
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = "",
): TestPage {
  return (_, response) => void response.writeHead(status, headers).end(body);
}
