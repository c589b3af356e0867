import { type RefObject, useEffect, useRef } from "react";

/** Speech at arm's length fills about three quarters. */
const QUIETEST_DB = -55;
const LOUDEST_DB = -12;

/** From the root mean square of samples to 0 … 1, as loud as it seems. */
export function loudnessOf(samples: Readonly<Float32Array>): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const level = 20 * Math.log10(Math.sqrt(sum / samples.length) || 1e-9);
  return Math.min(1, Math.max(0, (level - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB)));
}

function peakOf(samples: Readonly<Float32Array>): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak;
}

/**
 * Keeps the CSS variable `--level` of an element at the loudness of a stream, from 0 to 1, without rendering again.
 *
 * @param onLevel receives each level, and the highest sample (0 … 1) at that moment.
 */
export function useLevel<Target extends HTMLElement>(
  stream: MediaStream | undefined,
  onLevel?: (level: number, peak: number) => void,
): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const listener = useRef(onLevel);
  listener.current = onLevel;
  useEffect(() => {
    if (stream === undefined) return;
    const element = target.current;
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 1024 });
    const source = context.createMediaStreamSource(stream);
    source.connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let shown = 0;
    let frame = 0;
    const draw = (): void => {
      analyser.getFloatTimeDomainData(samples);
      const level = loudnessOf(samples);
      // Up at once, down slowly: as meters do.
      shown = Math.max(level, shown * 0.9);
      element?.style.setProperty("--level", shown.toFixed(3));
      listener.current?.(level, peakOf(samples));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(frame);
      source.disconnect();
      void context.close();
      element?.style.removeProperty("--level");
    };
  }, [stream]);
  return target;
}
