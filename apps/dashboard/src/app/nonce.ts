declare global {
  /** Read by libraries that write a style element, such as the one that blocks scrolling behind dialogs. */
  var __webpack_nonce__: string | undefined;
}

/** Allows a style element that a library writes to apply: the policy of the page forbids all others. */
export const styleNonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

globalThis.__webpack_nonce__ = styleNonce;
