import path from "node:path";

/** Folder for the audio of calls until it is encoded into recordings. */
export const recordingFolderOf = ({ dataDirectory }: { dataDirectory: string }): string =>
  path.join(dataDirectory, "recordings");
