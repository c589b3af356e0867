import { WIDGET_LANGUAGES } from "@parley/contract";

/** Languages of the widget's own texts. */
export const widgetLanguages = WIDGET_LANGUAGES;
