import type { ObjectStorageConfig } from "../config/object-storage.ts";
import { FolderStorage, type FolderStorageOptions } from "./folder-storage.ts";
import { S3Storage } from "./s3-storage.ts";

/** Opens the storage that the operator configured. */
export function openStorage(
  config: ObjectStorageConfig,
  links: Pick<FolderStorageOptions, "signingKeys" | "origin">,
): FolderStorage | S3Storage {
  return config.type === "s3" ? new S3Storage(config) : new FolderStorage({ ...config, ...links });
}
