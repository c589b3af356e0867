import path from "node:path";
import type { EnvironmentReader } from "./environment-reader.ts";

export type ObjectStorageConfig =
  | { type: "folder"; folder: string; isShared: boolean }
  | {
      type: "s3";
      endpoint: string;
      region: string;
      bucket: string;
      accessKeyId: string;
      secretAccessKey: string;
    };

export function readObjectStorage(reader: EnvironmentReader, dataDirectory: string): ObjectStorageConfig {
  const folder = reader.text("PARLEY_OBJECT_STORAGE_FOLDER");
  const isShared = reader.boolean("PARLEY_OBJECT_STORAGE_SHARED");
  const bucket = reader.text("PARLEY_OBJECT_STORAGE_BUCKET");
  const region = reader.textOrDefault("PARLEY_OBJECT_STORAGE_REGION");
  const endpoint = reader.url("PARLEY_OBJECT_STORAGE_ENDPOINT");
  if (bucket === undefined) {
    if (endpoint !== undefined)
      reader.report("PARLEY_OBJECT_STORAGE_ENDPOINT has no effect without PARLEY_OBJECT_STORAGE_BUCKET");
    return { type: "folder", folder: path.resolve(folder ?? path.join(dataDirectory, "objects")), isShared };
  }
  if (folder !== undefined)
    reader.report(
      "PARLEY_OBJECT_STORAGE_FOLDER and PARLEY_OBJECT_STORAGE_BUCKET cannot both be set: remove one",
    );
  const because = "PARLEY_OBJECT_STORAGE_BUCKET";
  return {
    type: "s3",
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    accessKeyId: reader.requiredText("PARLEY_OBJECT_STORAGE_ACCESS_KEY_ID", because),
    secretAccessKey: reader.requiredText("PARLEY_OBJECT_STORAGE_SECRET_ACCESS_KEY", because),
  };
}
