import { readableOn, textOn } from "./colors.rules.ts";
import css from "./widget.css?inline";

const LIGHT_SURFACE = "#ffffff";
const DARK_SURFACE = "#15171c";

/** Returns the styles of a widget with this accent color. */
export function createSheets(accentColor: string): CSSStyleSheet[] {
  const colors = new CSSStyleSheet();
  colors.replaceSync(`:host {
    --accent: ${accentColor};
    --on-accent: ${textOn(accentColor)};
    --accent-on-light: ${readableOn(accentColor, LIGHT_SURFACE)};
    --accent-on-dark: ${readableOn(accentColor, DARK_SURFACE)};
  }`);
  const styles = new CSSStyleSheet();
  styles.replaceSync(css);
  return [colors, styles];
}
