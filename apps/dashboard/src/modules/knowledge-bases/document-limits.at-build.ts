import {
  documentExtensions,
  MAX_DOCUMENT_BYTES,
  MAX_RESYNC_INTERVAL_HOURS,
  MAX_WEBSITE_PAGES,
} from "@parley/contract";

export const maxWebsitePages = MAX_WEBSITE_PAGES;
export const maxResyncIntervalHours = MAX_RESYNC_INTERVAL_HOURS;
export const maxDocumentBytes = MAX_DOCUMENT_BYTES;
/** Extensions of the files that can be read, without their dots. */
export const fileExtensions: readonly string[] = Object.values(documentExtensions).flat();
