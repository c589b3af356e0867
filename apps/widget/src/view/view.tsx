import type { WidgetSettings } from "@parley/contract";
import { render } from "preact";
import type { Store } from "../store.ts";
import type { Wording } from "../texts/wording.ts";
import type { WidgetActions, WidgetState } from "../widget-state.ts";
import { App } from "./app.tsx";
import { createSheets } from "./styles.ts";

/** The widget's element on the page. Its styles are constructed sheets, which a content security policy does not restrict. */
export class View {
  readonly #element = document.createElement("parley-widget");
  readonly #root: ShadowRoot;
  readonly #unsubscribe: () => void;

  constructor(
    container: HTMLElement,
    { settings, wording }: { settings: WidgetSettings; wording: Wording },
    state: Store<WidgetState>,
    actions: WidgetActions,
  ) {
    this.#root = this.#element.attachShadow({ mode: "open" });
    this.#root.adoptedStyleSheets = createSheets(settings.appearance.accentColor);
    container.append(this.#element);
    const draw = (value: WidgetState): void =>
      render(<App settings={settings} wording={wording} state={value} actions={actions} />, this.#root);
    draw(state.value);
    this.#unsubscribe = state.subscribe(draw);
  }

  remove(): void {
    this.#unsubscribe();
    render(null, this.#root);
    this.#element.remove();
  }
}
