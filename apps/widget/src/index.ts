/**
 * The widget of an agent: chat and calls on any page.
 *
 * @module widget
 */
import { type MountOptions, Widget } from "./widget.ts";

export type { UserToken } from "./api/visitor-session.ts";
export type { MountOptions, Widget, WidgetEvents } from "./widget.ts";

/**
 * Shows the widget of an agent on this page:
 *
 * ```ts
 * const widget = mount({ serverUrl: "https://voice.example.com", widgetKey: "wk_…" });
 * widget.on("message", ({ role, text }) => …);
 * widget.destroy();
 * ```
 */
export function mount(options: MountOptions): Widget {
  return new Widget(options);
}

/** Shows the widget that a script tag names in `data-widget-key`. Called by `widget.js`. */
export function mountScript(script: HTMLScriptElement): void {
  const { widgetKey, userToken, language } = script.dataset;
  if (widgetKey === undefined || widgetKey === "") {
    // oxlint-disable-next-line no-console -- for the owner of the page
    console.warn('Parley: the script tag needs data-widget-key="wk_…".');
    return;
  }
  const begin = (): void =>
    void mount({
      serverUrl: script.src,
      widgetKey,
      ...(userToken !== undefined && { userToken }),
      ...(language !== undefined && { language }),
    });
  // Scripts in the head can run before there is a body.
  if (document.body !== null) begin();
  else document.addEventListener("DOMContentLoaded", begin, { once: true });
}
