import path from "node:path";

/** Holds the audio of calls until recordings are made of it. */
export const recordingFolderOf = ({ dataDirectory }: { dataDirectory: string }): string =>
  path.join(dataDirectory, "recordings");
