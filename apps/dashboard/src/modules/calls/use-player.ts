import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";

export interface Player {
  audio: RefObject<HTMLAudioElement | null>;
  isPlaying: boolean;
  /** `undefined` until it has played or was moved. */
  positionMs: number | undefined;
  durationMs: number | undefined;
  /** Attributes of the audio element. */
  events: React.AudioHTMLAttributes<HTMLAudioElement>;
  toggle: () => void;
  /** Moves to a position and plays. */
  seek: (positionMs: number) => void;
  /** Moves to a position, and goes on playing or not. */
  move: (positionMs: number) => void;
}

/** State of an audio element. While it plays, the position follows at each frame that shows another time. */
export function usePlayer(): Player {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [positionMs, setPositionMs] = useState<number>();
  const [durationMs, setDurationMs] = useState<number>();
  const notePosition = useCallback(() => {
    const seconds = audio.current?.currentTime ?? 0;
    // Tenths of a second are enough for eyes, and spare rendering.
    setPositionMs(Math.round(seconds * 10) * 100);
  }, []);
  useEffect(() => {
    if (!isPlaying) return;
    let frame = requestAnimationFrame(function follow() {
      notePosition();
      frame = requestAnimationFrame(follow);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, notePosition]);
  const move = useCallback(
    (toMs: number) => {
      if (audio.current === null) return;
      audio.current.currentTime = toMs / 1000;
      notePosition();
    },
    [notePosition],
  );
  const play = useCallback(() => {
    // Rejected if the sound cannot be loaded: the element reports that as an error.
    audio.current?.play().catch(() => setPlaying(false));
  }, []);
  const seek = useCallback(
    (toMs: number) => {
      move(toMs);
      play();
    },
    [move, play],
  );
  const toggle = useCallback(() => {
    if (audio.current?.paused === true) play();
    else audio.current?.pause();
  }, [play]);
  const events = useMemo(
    () => ({
      onPlay: () => setPlaying(true),
      onPause: () => setPlaying(false),
      onEnded: () => setPlaying(false),
      onSeeked: notePosition,
      onDurationChange: () => {
        const seconds = audio.current?.duration ?? Number.NaN;
        setDurationMs(Number.isFinite(seconds) ? seconds * 1000 : undefined);
      },
    }),
    [notePosition],
  );
  return { audio, isPlaying, positionMs, durationMs, events, toggle, seek, move };
}
