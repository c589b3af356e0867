import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The green of the house. 7 and 6 are its buttons on light and dark ground. */
const house: MantineColorsTuple = [
  "#e9f7f4",
  "#d3ede8",
  "#a5dbd1",
  "#4cc3b1",
  "#3bb09e",
  "#239482",
  "#168072",
  "#0f6e63",
  "#0b5c53",
  "#074a43",
];

/** Of errors and of what cannot be taken back. White is readable on 6 and 7. */
const red: MantineColorsTuple = [
  "#fdecea",
  "#fad9d5",
  "#f5b5ae",
  "#ff8f85",
  "#e96a5d",
  "#db4a3b",
  "#c93426",
  "#b42318",
  "#931b12",
  "#73150d",
];

/** Of warnings. 9 is readable on 0 and 1, and 3 on the dark ground. */
const yellow: MantineColorsTuple = [
  "#fff8e1",
  "#fdefc3",
  "#fadf8a",
  "#f5c94d",
  "#e8b020",
  "#b97f0a",
  "#8f5f06",
  "#7a5005",
  "#664203",
  "#5c3a00",
];

/** Grays of the dark scheme, with a little blue: 7 is the ground of cards. */
const dark: MantineColorsTuple = [
  "#e8edf2",
  "#cbd4dc",
  "#a3b0bd",
  "#77838f",
  "#3a444f",
  "#2b333c",
  "#1d232a",
  "#181d23",
  "#12171c",
  "#0d1115",
];

/** The header of a dialog is no landmark of the page. */
const dialogProps = {
  closeButtonProps: { "aria-label": "Close" },
  attributes: { header: { role: "presentation" } },
};

export const theme = createTheme({
  colors: { house, red, yellow, dark },
  primaryColor: "house",
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, Consolas, monospace',
  headings: { fontWeight: "650" },
  components: {
    Modal: { defaultProps: dialogProps },
    Drawer: { defaultProps: dialogProps },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } } },
  },
});

/** The colors of ground, lines and quiet text, of both schemes; readable by WCAG AA on each ground. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#15202b",
    "--mantine-color-dimmed": "#52606d",
    "--mantine-color-placeholder": "#626f7b",
    "--mantine-color-error": "#b42318",
    "--mantine-color-anchor": "#0f6e63",
    "--mantine-color-default-border": "#d0d7de",
  },
  dark: {
    "--mantine-color-body": "#181d23",
    "--mantine-color-text": "#e8edf2",
    "--mantine-color-dimmed": "#a3b0bd",
    "--mantine-color-placeholder": "#93a0ad",
    "--mantine-color-error": "#ff8f85",
    "--mantine-color-anchor": "#4cc3b1",
    "--mantine-color-default-border": "#3a444f",
  },
});
