import type { EncryptedColumn } from "../platform/encryption/reencryption.ts";
import { encryptedAnswers } from "../platform/idempotency/idempotency.ts";
import { encryptedDocuments } from "./agents/stored-document.ts";
import { encryptedTwoFactors } from "./identity/two-factor-encryption.ts";
import { encryptedAuthTokens } from "./messaging-connections/messaging-connections.service.ts";
import { encryptedProviderKeys } from "./provider-keys/provider-keys.service.ts";
import { encryptedPasswords } from "./sip-trunks/sip-trunks.service.ts";
import { encryptedWidgetSecrets } from "./widget/widget-secrets.service.ts";
import { encryptedSigningSecrets } from "./webhooks/signing/signing-secrets.service.ts";

/** Columns with encrypted texts of all features, for the doctor, which runs without features. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  ...encryptedDocuments,
  encryptedPasswords,
  encryptedAuthTokens,
  encryptedProviderKeys,
  ...encryptedSigningSecrets,
  encryptedWidgetSecrets,
  ...encryptedTwoFactors,
  encryptedAnswers,
];
