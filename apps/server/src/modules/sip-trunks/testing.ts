/** For tests: a registrar that speaks SIP over UDP and accepts the given accounts. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { DigestAuthenticator, parseMessage, type SipRequest } from "@parley/sip";

export interface RegistrarBehavior {
  /** Usernames and passwords that may register; all others get 401. */
  accounts?: Readonly<Record<string, string>>;
  /** Status of every answer to REGISTER, without a challenge. */
  registerStatus?: number;
  optionsStatus?: number;
  isSilent?: boolean;
  /** Service-Route of its answers (RFC 3608). */
  serviceRoute?: string;
  /** Granted registration time in seconds. */
  expiresSeconds?: number;
}

export class TestRegistrar {
  behavior: RegistrarBehavior;
  /** Registered contacts. */
  readonly bindings = new Set<string>();
  /** Contact and Expires of every accepted REGISTER; `null` if it was only a query. */
  readonly accepted: { contact: string | null; expires: string | null }[] = [];
  readonly #socket: Socket;
  readonly #authenticator = new DigestAuthenticator({ realm: "carrier.example" });

  static async listen(behavior: RegistrarBehavior): Promise<TestRegistrar> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new TestRegistrar(socket, behavior);
  }

  private constructor(socket: Socket, behavior: RegistrarBehavior) {
    this.#socket = socket;
    this.behavior = behavior;
    socket.on("message", (data, { port }) => {
      const parsed = parseMessage(data);
      if (!parsed.ok || parsed.message.kind !== "request" || this.behavior.isSilent === true) return;
      const { message } = parsed;
      void this.#answer(message).then(([status, fields]) => this.#respond(message, port, status, fields));
    });
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async #answer(request: SipRequest): Promise<[number, string[]]> {
    const {
      accounts = {},
      registerStatus,
      optionsStatus = 200,
      expiresSeconds = 300,
      serviceRoute,
    } = this.behavior;
    if (request.method !== "REGISTER") return [optionsStatus, []];
    if (registerStatus !== undefined) return [registerStatus, []];
    const verdict = await this.#authenticator.verify(request, (username) => accounts[username]);
    if (!verdict.ok) return [401, verdict.challenges.map((each) => `WWW-Authenticate: ${each}`)];
    const contact = request.headers.get("contact") ?? null;
    const expires = request.headers.get("expires") ?? null;
    this.accepted.push({ contact, expires });
    if (contact !== null && expires === "0") this.bindings.delete(contact);
    else if (contact !== null) this.bindings.add(contact);
    const route = serviceRoute === undefined ? [] : [`Service-Route: ${serviceRoute}`];
    return [
      200,
      [...route, ...[...this.bindings].map((each) => `Contact: ${each};expires=${expiresSeconds}`)],
    ];
  }

  #respond({ headers }: SipRequest, port: number, status: number, fields: readonly string[]): void {
    const copied = (["via", "from", "call-id", "cseq"] as const).flatMap((name) =>
      headers.getAll(name).map((value) => `${name}: ${value}`),
    );
    const lines = [
      `SIP/2.0 ${status} Answer`,
      ...copied,
      `To: ${headers.get("to")};tag=registrar`,
      ...fields,
    ];
    this.#socket.send([...lines, "Content-Length: 0", "", ""].join("\r\n"), port, "127.0.0.1");
  }

  close(): void {
    this.#socket.close();
  }
}
