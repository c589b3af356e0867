import { answerOffer, type IncomingInvite, UserAgent } from "@parley/sip";
import { RecordedLine } from "./recorded-line.ts";

/** About the time that a person takes to pick up. */
const RINGING_MS = 1_000;

export interface TelephoneOptions {
  /** 0 chooses any free port. */
  sipPort: number;
  /** Its lines in order: 8 kHz PCM. */
  lines: readonly Int16Array[];
  /** Receives descriptions of events for people. */
  onCall: (event: string) => void;
}

/** Telephone on loopback that answers calls to any number, and speaks like a recorded caller. */
export class Telephone {
  readonly #options: TelephoneOptions;
  readonly #calls = new Set<Promise<void>>();
  #agent: UserAgent | undefined;

  private constructor(options: TelephoneOptions) {
    this.#options = options;
  }

  /** Rejects if the port cannot be bound. */
  static async listen(options: TelephoneOptions): Promise<Telephone> {
    const telephone = new Telephone(options);
    telephone.#agent = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: options.sipPort },
      onInvite: (invite) => telephone.#ring(invite),
    });
    return telephone;
  }

  /** Address for a trunk's `proxyAddress`. */
  get address(): string {
    return `127.0.0.1:${this.#agent?.address.port}`;
  }

  /** Ends its calls. Idempotent. */
  async close(): Promise<void> {
    await this.#agent?.close();
    await Promise.all(this.#calls);
  }

  #ring(invite: IncomingInvite): void {
    invite.ring();
    this.#options.onCall("it rings");
    const call = this.#answer(invite).then(
      () => this.#options.onCall("the call has ended"),
      (error: unknown) => this.#options.onCall(`the call failed: ${String(error)}`),
    );
    this.#calls.add(call);
    void call.finally(() => this.#calls.delete(call));
  }

  async #answer(invite: IncomingInvite): Promise<void> {
    const line = await RecordedLine.open(this.#options.lines);
    try {
      await new Promise((resolve) => setTimeout(resolve, RINGING_MS));
      const answer = answerOffer(invite.body, line.audio);
      if (!answer.ok) {
        invite.reject(answer.status);
        return;
      }
      const accepted = await invite.accept({ sdp: answer.sdp });
      if (!accepted.ok) return;
      line.talk(answer.audio.remote);
      await Promise.race([accepted.session.ended, line.finished]);
      await accepted.session.bye();
    } finally {
      line.close();
    }
  }
}
