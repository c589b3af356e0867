import type {
  Briefing,
  BriefingOutcome,
  NoiseSuppressionStream,
  VoiceConversation,
} from "@parley/conversation";
import type { MediaPath } from "../media-protocol.ts";
import { type Announcement, createPlayingEnd, playAnnouncement } from "./announcement.ts";
import { bridgeAudio } from "./audio-bridge.ts";
import type { MediaConversation, PhoneMedia } from "./phone-media.ts";

/** Media of one side, as far as a transfer uses it. */
type SideMedia = Pick<PhoneMedia, "press" | "divert">;
type PersonMedia = SideMedia &
  Pick<PhoneMedia, "port" | "connect" | "hearKey" | "start" | "confirm" | "close">;

export interface PersonLegOptions {
  /** Media of the call that is transferred, and its conversation. */
  caller: SideMedia;
  conversation: Pick<VoiceConversation, "end" | "close">;
  /** Opens the person's media. */
  open: (conversation: MediaConversation) => Promise<PersonMedia>;
  /** The talk with the person, which its owner closes; `undefined` if they are connected without one. */
  briefing: Briefing | undefined;
  /** Opens what removes the caller's noise for the person; `undefined` if it stays. */
  openNoiseSuppression: (() => NoiseSuppressionStream) | undefined;
}

/** Keys of one side that wait until they are sent to the other. A person presses fewer in the time that they take. */
const MAX_WAITING_KEYS = 32;

const HUNG_UP: BriefingOutcome = {
  isAccepted: false,
  failure: "hung up",
  detail: "the transfer ended during the briefing",
};

/** Each state owns what is closed when it is left. */
type State =
  /** The telephone rings, or keys are pressed, and the person's side hears silence. */
  | { name: "calling" }
  | { name: "briefing" }
  /** Both hear an announcement. */
  | { name: "introducing" }
  /** Both hear each other. */
  | { name: "bridged"; noiseSuppression: NoiseSuppressionStream | undefined }
  | { name: "closed" };

/** The person to whom a call is transferred: a second phone call of the same process, without an agent. */
export class PersonLeg {
  readonly #options: PersonLegOptions;
  readonly #media: PersonMedia;
  readonly #closed = Promise.withResolvers<void>();
  /** Withdraws the keys that wait. */
  readonly #over = new AbortController();
  #state: State = { name: "calling" };

  private constructor(options: PersonLegOptions, media: PersonMedia) {
    this.#options = options;
    this.#media = media;
  }

  /** @throws Error if no port is free. */
  static async open(options: PersonLegOptions): Promise<PersonLeg> {
    return new PersonLeg(options, await options.open(options.briefing ?? silence));
  }

  get port(): number {
    return this.#media.port;
  }

  /** Whether both sides hear each other. */
  get isBridged(): boolean {
    return this.#state.name === "bridged";
  }

  connect(path: MediaPath): void {
    this.#media.connect(path);
  }

  hearKey(digit: string): void {
    this.#media.hearKey(digit);
  }

  /** The person's side has answered: presses the keys. Resolves with false if it was closed meanwhile. */
  async answer(keys: string): Promise<boolean> {
    this.#media.divert(createPlayingEnd(() => undefined));
    this.#media.start();
    this.#media.confirm();
    // Keys that are being pressed to a closed port would never end.
    if (keys !== "") await Promise.race([this.#media.press(keys, this.#over.signal), this.#closed.promise]);
    return this.#state.name !== "closed";
  }

  /** Talks with the person who answered. Resolves with whether they take the call. */
  async brief(waitForHumanMs: number): Promise<BriefingOutcome> {
    const { briefing } = this.#options;
    if (this.#state.name !== "calling" || briefing === undefined) return HUNG_UP;
    this.#state = { name: "briefing" };
    briefing.waitForHuman(waitForHumanMs);
    this.#media.divert(undefined);
    const outcome = await briefing.outcome;
    return this.#isClosed() ? HUNG_UP : outcome;
  }

  /** Plays an announcement to both sides. Resolves with false if it was closed meanwhile. */
  async introduce(announcement: Announcement): Promise<boolean> {
    if (this.#isClosed()) return false;
    this.#state = { name: "introducing" };
    // A side that puts the other one on hold does not delay it.
    const played = Promise.race([this.#media, this.#options.caller].map(playTo(announcement)));
    await Promise.race([played, this.#closed.promise]);
    return !this.#isClosed();
  }

  /** Connects both sides; false if it was closed before. The conversation is over from then on. */
  bridge(): boolean {
    if (this.#isClosed()) return false;
    const { caller: callerMedia, conversation, openNoiseSuppression } = this.#options;
    const noiseSuppression = openNoiseSuppression?.();
    this.#state = { name: "bridged", noiseSuppression };
    const { caller, person } = bridgeAudio(
      {
        caller: passKeys(callerMedia, this.#over.signal),
        person: passKeys(this.#media, this.#over.signal),
      },
      noiseSuppression,
    );
    conversation.end("transferred");
    conversation.close();
    this.#media.divert(person);
    callerMedia.divert(caller);
    return true;
  }

  /** Idempotent. */
  close(): void {
    const state = this.#state;
    this.#state = { name: "closed" };
    if (state.name === "bridged") state.noiseSuppression?.close();
    this.#closed.resolve();
    this.#over.abort();
    this.#media.close();
  }

  #isClosed(): boolean {
    return this.#state.name === "closed";
  }
}

/** Presses keys to a side until the signal aborts. Those that arrive faster than they can be sent are dropped. */
function passKeys(media: SideMedia, signal: AbortSignal): (digit: string) => void {
  let waiting = 0;
  return (digit) => {
    if (waiting === MAX_WAITING_KEYS) return;
    waiting++;
    const finish = (): void => void waiting--;
    // The end of the bridge withdraws it.
    media.press(digit, signal).then(finish, finish);
  };
}

/** Plays an announcement to a call. Resolves at its end. */
function playTo(announcement: Announcement): (media: SideMedia) => Promise<void> {
  return async (media) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const play = playAnnouncement(announcement);
    media.divert(
      createPlayingEnd(() => {
        const frame = play();
        if (frame === undefined) resolve();
        return frame;
      }),
    );
    await promise;
  };
}

/** A person who is not briefed, before the two sides are connected: is not listened to, and hears silence. */
const silence: MediaConversation = {
  hear: () => {},
  nextFrame: () => undefined,
  dtmf: () => {},
  start: () => {},
  standStill: () => {},
  noteSentKeys: () => {},
  loseAudio: () => {},
};
