import type { VoiceConversation } from "@parley/conversation";
import type { MediaPath } from "../media-protocol.ts";
import { bridgeAudio } from "./audio-bridge.ts";
import type { MediaConversation, PhoneMedia } from "./phone-media.ts";

interface PersonLegOptions {
  /** Media of the call that is transferred, and its conversation. */
  caller: PhoneMedia;
  conversation: VoiceConversation;
  /** Opens the person's media. */
  open: (conversation: MediaConversation) => Promise<PhoneMedia>;
}

/** A key that one side presses for the other is not withdrawn. */
const forever = new AbortController().signal;

/** The person to whom a call is transferred: a second phone call of the same process, without an agent. */
export class PersonLeg {
  readonly #caller: PhoneMedia;
  readonly #conversation: VoiceConversation;
  readonly #media: PhoneMedia;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  private constructor({ caller, conversation }: PersonLegOptions, media: PhoneMedia) {
    this.#caller = caller;
    this.#conversation = conversation;
    this.#media = media;
  }

  /** @throws Error if no port is free. */
  static async open(options: PersonLegOptions): Promise<PersonLeg> {
    return new PersonLeg(options, await options.open(silence));
  }

  get port(): number {
    return this.#media.port;
  }

  connect(path: MediaPath): void {
    this.#media.connect(path);
  }

  hearKey(digit: string): void {
    this.#media.hearKey(digit);
  }

  /** Presses the keys, then connects both sides; false if it was closed meanwhile. The conversation is over from then on. */
  async bridge(keys: string): Promise<boolean> {
    this.#media.start();
    this.#media.confirm();
    // Keys that are being pressed to a closed port would never end.
    if (keys !== "") await Promise.race([this.#media.press(keys, forever), this.#closed.promise]);
    if (this.#isClosed) return false;
    const { caller, person } = bridgeAudio({
      caller: (digit) => void this.#caller.press(digit, forever),
      person: (digit) => void this.#media.press(digit, forever),
    });
    this.#conversation.end("transferred");
    this.#conversation.close();
    this.#media.divert(person);
    this.#caller.divert(caller);
    return true;
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
    this.#media.close();
  }
}

/** The person before the two sides are connected: is not listened to, and hears silence. */
const silence: MediaConversation = {
  hear: () => {},
  nextFrame: () => undefined,
  dtmf: () => {},
  start: () => {},
  standStill: () => {},
  noteSentKeys: () => {},
  loseAudio: () => {},
};
