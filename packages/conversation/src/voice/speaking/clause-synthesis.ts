import type { ProviderError } from "../../providers/provider-error.ts";
import type { TextToSpeechEvent, TextToSpeechStream } from "../../providers/text-to-speech.ts";
import type { AgentVoice, SpeechStyle } from "./agent-voice.ts";
import { PlayoutBuffer } from "./playout-buffer.ts";
import { SynthesisPace } from "./synthesis-pace.ts";
import { VoiceFailover } from "./voice-failover.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";

export interface ClauseSynthesisOptions {
  /** In order of preference; not empty. */
  voices: readonly AgentVoice[];
  style: SpeechStyle;
  /** Monotonic milliseconds, for voice speeds. */
  now: () => number;
  /** Voice speeds; measured and used here. */
  speeds: VoiceSpeeds;
  /** The voice at this index speaks from now on. */
  onVoice: (index: number) => void;
}

export interface ClauseSynthesisHandlers {
  /** Audio has arrived that may make more of the speech playable. */
  onAudio: () => void;
  /** All audio of a clause has arrived. */
  onClauseEnded: () => void;
  /** A voice failed. `takenOverBy` speaks on; `undefined` if no voice is left. */
  onFault: (error: ProviderError, takenOverBy: string | undefined) => void;
  /** No voice is left. */
  onFailed: (error: ProviderError) => void;
}

/**
 * Turns the clauses of one speech into audio: owns the voice's stream, limits what it sends ahead, and retries what is
 * unheard with the next voice after a failure.
 */
export class ClauseSynthesis {
  readonly playout: PlayoutBuffer;
  readonly #style: SpeechStyle;
  readonly #handlers: ClauseSynthesisHandlers;
  readonly #voices: VoiceFailover;
  readonly #pace: SynthesisPace;
  /** `undefined` until `open` (a recording needs none), and after the last voice has failed. */
  #stream: TextToSpeechStream | undefined;
  #nextClauseId = 1;
  #isComplete = false;
  #isPaused = false;
  #isClosed = false;
  #hasFailed = false;
  #hasAudioOfStream = false;
  /** Media time since which audio that should be playing is missing. */
  #starvedSinceMs: number | undefined;

  constructor(
    { voices, style, now, speeds, onVoice }: ClauseSynthesisOptions,
    handlers: ClauseSynthesisHandlers,
  ) {
    this.#style = style;
    this.#handlers = handlers;
    this.#voices = new VoiceFailover(voices, onVoice);
    const voice = (): AgentVoice => this.#voices.current;
    this.#pace = new SynthesisPace({ speeds, speed: style.speed, voice, now });
    this.playout = new PlayoutBuffer(style.sampleRateHz, this.#pace);
  }

  /** Whether no voice is left. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Opens the voice's stream, before the first `speak`. */
  open(): void {
    this.#stream = this.#openStream();
  }

  /** Adds a clause that was synthesized before. */
  addRecording(text: string, pcm: Int16Array): void {
    const id = this.#announce(text, 0);
    this.playout.push(id, pcm);
    this.playout.completeClause(id);
  }

  /**
   * Synthesizes a clause.
   *
   * @param written The clause as written in the transcript.
   */
  speak(text: string, written: string, segment: number): void {
    const id = this.#announce(written, segment);
    if (this.#stream !== undefined) this.#request(this.#stream, id, text);
  }

  /** Announces that no clause follows. */
  end(): void {
    this.#isComplete = true;
    this.#stream?.end();
  }

  /** Called once per tick of the media clock: checks the deadline of the audio and regulates its flow. */
  tick(atMs: number): void {
    this.#regulateFlow();
    if (this.playout.playableMs > 0 || !this.playout.isOwedAudio) {
      this.#starvedSinceMs = undefined;
      return;
    }
    this.#starvedSinceMs ??= atMs;
    const deadlineMs = this.#voices.audioDeadlineMs(this.#hasAudioOfStream, this.#pace.expectedMs);
    // A faster voice would already be playing the buffered audio.
    if (atMs - this.#starvedSinceMs < deadlineMs + this.playout.bufferedMs) return;
    this.#fail(this.#voices.error("timeout", `no audio within ${deadlineMs} ms`));
  }

  /** Idempotent. `playout` still reports what was heard. */
  close(): void {
    this.#isClosed = true;
    this.#stream?.close();
  }

  #announce(text: string, segment: number): number {
    const id = this.#nextClauseId++;
    this.playout.addClause(id, text, segment);
    return id;
  }

  #openStream(): TextToSpeechStream {
    const { tts, voice } = this.#voices.current;
    this.#voices.noteAttempt();
    this.#pace.begin();
    this.#hasAudioOfStream = false;
    this.#isPaused = false;
    this.#starvedSinceMs = undefined;
    const stream: TextToSpeechStream = tts.open({
      ...this.#style,
      voice,
      startShare: this.#pace.startShare,
      onEvent: (event) => {
        if (!this.#isClosed && this.#stream === stream) this.#receive(event);
      },
    });
    return stream;
  }

  #receive(event: TextToSpeechEvent): void {
    switch (event.type) {
      case "audio":
        this.#hasAudioOfStream = true;
        this.#starvedSinceMs = undefined;
        this.playout.push(event.clauseId, event.pcm, event.endsPhrase);
        this.#pace.noteAudio(this.playout.arrivedMs(event.clauseId));
        this.#handlers.onAudio();
        return this.#regulateFlow();
      case "words":
        return this.playout.addWords(event.clauseId, event.words);
      case "clauseEnded":
        this.playout.completeClause(event.clauseId);
        this.#pace.noteEnd(event.clauseId, {
          audioMs: this.playout.arrivedMs(event.clauseId),
          isCached: event.isCached === true,
          isPaused: this.#isPaused,
        });
        return this.#handlers.onClauseEnded();
      case "ended":
        this.playout.completeAll();
        return this.#handlers.onClauseEnded();
      case "failed":
        return this.#fail(event.error);
    }
  }

  #request(stream: TextToSpeechStream, id: number, text: string): void {
    this.#pace.noteRequest(id, text);
    stream.speak(id, text);
  }

  #regulateFlow(): void {
    if (this.playout.isOverrun) {
      return this.#fail(this.#voices.error("connection", "sends on although it was asked to pause"));
    }
    if (!this.#isPaused && this.playout.shouldPause) {
      this.#isPaused = true;
      this.#pace.notePause();
      this.#stream?.pause();
    } else if (this.#isPaused && this.playout.mayResume) {
      this.#isPaused = false;
      this.#stream?.resume();
    }
  }

  /** Retries everything unheard, with the same voice or with the next one. */
  #fail(error: ProviderError): void {
    this.#stream?.close();
    this.#stream = undefined;
    const hasVoice = this.#voices.choose(error);
    this.#handlers.onFault(error, hasVoice ? this.#voices.name : undefined);
    if (!hasVoice) {
      this.#hasFailed = true;
      this.playout.release();
      this.#handlers.onFailed(error);
      return;
    }
    const pending = this.playout.takeBack(() => this.#nextClauseId++);
    const stream = this.#openStream();
    this.#stream = stream;
    for (const { id, text } of pending) this.#request(stream, id, text);
    if (this.#isComplete) stream.end();
  }
}
