const FRAME_MS = 20;
/** Chords of five notes in Hz, within the telephone's band: C major 7, A minor 7, F major 7 and G 6. */
const CHORDS = [
  [261.63, 329.63, 392, 493.88, 659.26],
  [220, 329.63, 392, 523.25, 659.26],
  [349.23, 440, 523.25, 659.26, 698.46],
  [293.66, 392, 493.88, 587.33, 659.26],
] as const;
/** Order in which the notes of a chord are played, rising and falling. */
const PATTERN = [0, 1, 2, 3, 4, 3, 2, 1] as const;
const NOTE_INTERVAL_MS = 500;
/** Notes fade over the next ones. */
const NOTE_MS = 2_000;
const ATTACK_MS = 25;
/** Up to four notes sound together, at about -20 dB below full scale. */
const AMPLITUDE = 1_100;
const OVERTONE = 0.25;

interface Note {
  beganMs: number;
  hz: number;
}

/** Returns the frames of quiet music without an end, one for each call. Each is valid until the next one. */
export function createHoldMusic(sampleRateHz: number): () => Int16Array {
  const frame = new Int16Array((FRAME_MS * sampleRateHz) / 1000);
  let notes: readonly Note[] = [];
  let played = 0;
  let atMs = 0;
  return () => {
    notes = notes.filter(({ beganMs }) => atMs < beganMs + NOTE_MS);
    if (atMs % NOTE_INTERVAL_MS === 0) notes = [...notes, { beganMs: atMs, hz: pitchOf(played++) }];
    for (let index = 0; index < frame.length; index++) {
      const ms = atMs + (index * 1000) / sampleRateHz;
      frame[index] = notes.reduce((sum, note) => sum + sampleOf(note, ms), 0);
    }
    atMs += FRAME_MS;
    return frame;
  };
}

function pitchOf(note: number): number {
  const chord = CHORDS[Math.floor(note / PATTERN.length) % CHORDS.length] ?? CHORDS[0];
  return chord[PATTERN[note % PATTERN.length] ?? 0] ?? chord[0];
}

/** A plucked tone: it begins softly, without a click, and fades to nothing. */
function sampleOf({ beganMs, hz }: Note, atMs: number): number {
  const ms = atMs - beganMs;
  const loudness = Math.min(1, ms / ATTACK_MS) * (1 - ms / NOTE_MS) ** 3;
  const phase = (2 * Math.PI * hz * ms) / 1000;
  return AMPLITUDE * loudness * (Math.sin(phase) + OVERTONE * Math.sin(2 * phase));
}
