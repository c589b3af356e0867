/** What the inference process is to load and where it listens; sent once, first. */
export interface InferenceConfiguration {
  type: "configure";
  /** Local socket that the media processes connect to. */
  path: string;
  modelsDirectory: string;
  hasSpeechToText: boolean;
  hasTextToSpeech: boolean;
  /** The built-in responder's. */
  hasEmbeddings: boolean;
  ggufPath: string | undefined;
}
