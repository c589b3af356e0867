/** Colors as `#rrggbb`; contrast as defined in WCAG 2.2. */
const MIN_TEXT_CONTRAST = 4.5;
const STEPS = 20;

type Rgb = readonly [number, number, number];

/** Black or white, whichever is more readable on the color. Its contrast is at least 4.5. */
export function textOn(color: string): string {
  return contrast(color, "#ffffff") >= MIN_TEXT_CONTRAST ? "#ffffff" : bestOf(color);
}

function bestOf(color: string): string {
  return contrast(color, "#ffffff") > contrast(color, "#000000") ? "#ffffff" : "#000000";
}

/** The color, made darker or lighter until it is readable as text on the background. */
export function readableOn(color: string, background: string): string {
  const goal = parse(bestOf(background));
  const start = parse(color);
  for (let step = 0; step <= STEPS; step++) {
    const mixed = format(start.map((part, index) => part + ((goal[index] ?? 0) - part) * (step / STEPS)));
    if (contrast(mixed, background) >= MIN_TEXT_CONTRAST) return mixed;
  }
  return format(goal);
}

export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function format(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
