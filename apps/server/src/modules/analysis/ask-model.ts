import {
  type AnalyzedCall,
  type AnalysisFields,
  type AnalysisResult,
  answerSchema,
  readAnswer,
  renderInstructions,
  renderTranscript,
} from "./analysis.rules.ts";
import { type AnalysisModel, askForJson, type Patience } from "./ask-for-json.ts";

const MIN_TRANSCRIPT_CHARACTERS = 2_000;

export type AnalysisOutcome = { result: AnalysisResult } | { problem: string };

/** Asks a model about a call. Required values that are missing are asked for once more. Rejects only with the signal's reason. */
export async function askModel(
  model: AnalysisModel,
  fields: AnalysisFields,
  call: AnalyzedCall,
  patience: Patience,
): Promise<AnalysisOutcome> {
  const instructions = renderInstructions(fields, call);
  const room = Math.max(MIN_TRANSCRIPT_CHARACTERS, model.mostCharacters - instructions.length);
  const question = {
    instructions,
    material: `Transcript:\n\n${renderTranscript(call.transcript, room)}`,
    schema: answerSchema(fields),
    schemaName: "call_analysis",
    read: (text: string, badAnswers: number) => {
      const reading = readAnswer(text, fields);
      if (!reading.isValid) return { problems: reading.problems };
      const isDone = reading.missing.length === 0 || badAnswers > 0;
      return isDone ? { result: reading.result } : { problems: reading.missing.map(lookAgain) };
    },
  };
  return await askForJson(model, question, patience);
}

const lookAgain = (name: string): string =>
  `extraction.${name} is required: look again, and leave it null only if the call really does not say`;
