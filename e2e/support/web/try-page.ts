import { DEADLINE_MS, ParleyPage } from "./parley-page.ts";

/** The page `/try`. */
export class TryPage extends ParleyPage {
  /** Records the page's connections; must run before a call. */
  async watchConnections(): Promise<void> {
    await this.page.evaluate(`{
      const Connection = RTCPeerConnection;
      window.connections = [];
      window.connectedCount = 0;
      window.RTCPeerConnection = class extends Connection {
        constructor(...options) {
          super(...options);
          window.connections.push(this);
          this.addEventListener("connectionstatechange", () => {
            if (super.connectionState === "connected") window.connectedCount++;
          });
        }
      };
    }`);
  }

  /** Makes the browser notice that the call's connection has failed. Tests cannot cut its real network. */
  async loseConnection(): Promise<void> {
    await this.page.evaluate(`{
      const connection = window.connections.at(-1);
      Object.defineProperty(connection, "connectionState", { value: "failed" });
      connection.dispatchEvent(new Event("connectionstatechange"));
    }`);
  }

  /** Returns the number of connections established since `watchConnections`. */
  async connectedCount(): Promise<number> {
    return Number(await this.page.evaluate("window.connectedCount"));
  }

  /** Returns the number of connections created since `watchConnections`, established or not. */
  async connectionCount(): Promise<number> {
    return Number(await this.page.evaluate("window.connections.length"));
  }

  /** Returns the first connection's name in its current ICE generation, once the server has accepted it. */
  async iceUfrag(): Promise<string> {
    return String(
      await this.page.evaluate(
        "/a=ice-ufrag:(.*)/.exec(window.connections[0].currentLocalDescription?.sdp ?? '')?.[1]",
      ),
    );
  }

  /** Writes an instruction and sends it. */
  async instruct(text: string): Promise<void> {
    await this.page.type("textarea", text);
    await this.page.keyboard.press("Enter");
  }

  /** Returns the duration of the recording on the page; `NaN` until the browser has opened it. */
  async recordedMs(): Promise<number> {
    return Number(await this.page.evaluate("document.querySelector('audio')?.duration * 1000"));
  }

  /** Returns the contents of a text file that a link downloads. */
  async downloadText(words: string): Promise<string> {
    const link = await this.page.waitForSelector(`a[download] ::-p-text(${words})`, { timeout: DEADLINE_MS });
    const href = await (await link?.getProperty("href"))?.jsonValue();
    return decodeURIComponent(String(href).replace(/^data:[^,]*,/, ""));
  }
}
