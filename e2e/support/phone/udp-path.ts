import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Page } from "puppeteer-core";
import { waitFor } from "@parley/testing";

const LOOPBACK = "127.0.0.1";
/** Time for the page to apply an answer. */
const ROUTE_DEADLINE_MS = 30_000;

/**
 * A network between a page and the platform that can be cut: it relays datagrams between the page and the
 * platform's port. A page after `route` uses no other path, and gives the platform no other candidate.
 */
export class UdpPath {
  /** Faces the page, in place of the platform. */
  readonly #near: Socket;
  /** Faces the platform, in place of the page. */
  readonly #far: Socket;
  #pagePort = 0;
  #platformPort = 0;
  #passed = 0;
  #isCut = false;

  private constructor(near: Socket, far: Socket) {
    this.#near = near;
    this.#far = far;
    near.on("message", (datagram, { port }) => {
      this.#pagePort = port;
      if (this.#platformPort === 0) return;
      this.#passed++;
      far.send(datagram, this.#platformPort, LOOPBACK);
    });
    far.on("message", (datagram) => near.send(datagram, this.#pagePort, LOOPBACK));
  }

  static async open(): Promise<UdpPath> {
    const [near, far] = [createSocket("udp4"), createSocket("udp4")];
    for (const socket of [near, far]) {
      socket.bind(0, LOOPBACK);
      await once(socket, "listening");
    }
    return new UdpPath(near, far);
  }

  /** Number of relayed datagrams from the page. */
  get passed(): number {
    return this.#passed;
  }

  /** Routes the page's connection through this path from the next answer on. */
  async route(page: Page): Promise<void> {
    await page.evaluate(routing);
    await page.evaluate(`routing = { port: ${this.#near.address().port} }`);
    void this.#findPlatform(page).catch(() => {});
  }

  /** Idempotent. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#near.close();
    this.#far.close();
  }

  async #findPlatform(page: Page): Promise<void> {
    const find = async (): Promise<number | undefined> =>
      this.#isCut ? 0 : Number(await page.evaluate("routing.platformPort ?? 0")) || undefined;
    this.#platformPort = await waitFor("the platform's port", find, ROUTE_DEADLINE_MS);
  }
}

/**
 * Runs once in the page: replaces the platform's port in answers with this path's, and removes the page's own
 * candidates.
 */
const routing = `if (window.routing === undefined) {
  window.routing = {};
  const withoutCandidates = (sdp) => sdp.replace(/^a=candidate:.*\\r\\n/gm, "");
  const fetchPlainly = window.fetch;
  window.fetch = (url, options) => {
    const isSdp = typeof options?.body === "string" && options.body.includes("a=ice-ufrag:");
    return fetchPlainly(url, isSdp ? { ...options, body: withoutCandidates(options.body) } : options);
  };
  const { setRemoteDescription } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.setRemoteDescription = function ({ type, sdp }) {
    const candidate = /^(a=candidate:(?:\\S+ ){4}127\\.0\\.0\\.1 )(\\d+)(.*)$/m.exec(sdp);
    const [, before, port, after] = candidate;
    routing.platformPort = Number(port);
    const routed = withoutCandidates(sdp).replace(/^a=mid:.*$/m, "$&\\r\\n" + before + routing.port + after);
    return setRemoteDescription.call(this, { type, sdp: routed });
  };
}`;
