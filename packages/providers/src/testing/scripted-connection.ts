import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ScriptedFault } from "./scripted-fault.ts";

/** A text frame (RFC 6455 §5.2) that announces 100 bytes and has six. */
const CUT_FRAME = Buffer.from([0x81, 100, ...Buffer.from('{"type')]);
/** Reserved bits and an opcode that were not negotiated. */
const BAD_FRAME = Buffer.from([0xff, 0x04, 1, 2, 3, 4]);
const NONSENSE: readonly (string | Buffer)[] = [
  "no JSON",
  '{"type":',
  "[1,2,3]",
  "null",
  "{}",
  '{"type":"Results","channel":[],"is_final":7}',
  '{"type":"Results","channel":{"alternatives":[{"transcript":5}]}}',
  '{"audio":12,"alignment":{"chars":7},"contextId":"unknown"}',
  Buffer.from([0, 159, 146, 150]),
];

/** An accepted WebSocket with its scripted fault. */
export class ScriptedConnection {
  readonly socket: WebSocket;
  readonly index: number;
  readonly #raw: Duplex;
  readonly #fault: ScriptedFault | undefined;
  #sent = 0;

  /** @param raw The connection under the WebSocket. */
  constructor(socket: WebSocket, raw: Duplex, index: number, fault: ScriptedFault | undefined) {
    this.socket = socket;
    this.index = index;
    this.#raw = raw;
    this.#fault = fault;
    socket.on("error", () => socket.terminate());
  }

  /** Sends a message unless the connection's fault prevents it; returns false if nothing more is sent. */
  send(text: string): boolean {
    if (this.socket.readyState !== this.socket.OPEN || !this.#carryOutFault()) return false;
    this.#sent++;
    this.socket.send(text);
    return true;
  }

  #carryOutFault(): boolean {
    const fault = this.#fault;
    if (fault === undefined || !("after" in fault) || this.#sent < fault.after) return true;
    switch (fault.type) {
      case "nonsense":
        if (this.#sent === fault.after) for (const message of NONSENSE) this.socket.send(message);
        return true;
      case "stall":
        return false;
      case "deaf":
        this.socket.pause();
        return false;
      case "close":
        this.socket.terminate();
        return false;
      case "cutFrame":
        this.#raw.write(CUT_FRAME, () => this.socket.terminate());
        return false;
      case "badFrame":
        this.#raw.write(BAD_FRAME);
        return false;
    }
  }
}
