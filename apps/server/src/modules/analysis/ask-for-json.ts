import { type LanguageModel, toProviderError } from "@parley/conversation";

type CallOptions = Parameters<LanguageModel["doStream"]>[0];
type Prompt = CallOptions["prompt"];
type JsonSchema = NonNullable<Extract<CallOptions["responseFormat"], { type: "json" }>["schema"]>;

/** Maximum number of malformed answers and refusals. */
const MAX_BAD_ANSWERS = 3;
/** Maximum number of consecutive requests that failed for a temporary reason. */
const MAX_FAILURES = 8;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const MAX_QUOTED_ANSWER_CHARACTERS = 4_000;
/** Characters; a longer answer is aborted as runaway. */
const MAX_ANSWER_CHARACTERS = 200_000;

/** A language model for work after conversations, with its settings. */
export interface AnalysisModel {
  model: LanguageModel;
  /** Maximum number of characters of instructions and transcript, within the model's context. */
  mostCharacters: number;
  /** Further settings; vendors' reasoning models reject requests with either of them. */
  settings: Pick<CallOptions, "temperature" | "maxOutputTokens">;
}

/** A question that is answered with one JSON object. */
export interface JsonQuestion<Result> {
  instructions: string;
  material: string;
  /** JSON Schema of the answer, in the subset that vendors support, and its name. */
  schema: object;
  schemaName: string;
  /** Reads an answer; `problems` are for the model. */
  read: (text: string, badAnswers: number) => { result: Result } | { problems: readonly string[] };
}

export interface Patience {
  signal: AbortSignal;
  /** Rejects with the signal's reason. */
  pause: (ms: number) => Promise<void>;
}

/** How JSON output is requested: a server that rejects one form is asked with the next, less strict one. */
type Form = "schema" | "object" | "text";
const lesserForm: Readonly<Record<Form, Form | undefined>> = {
  schema: "object",
  object: "text",
  text: undefined,
};

/**
 * Asks a model. Repeats the question, with the problems, if the answer has the wrong shape, and repeats requests that failed
 * for a temporary reason. Rejects only with the signal's reason.
 */
export async function askForJson<Result>(
  { model, settings }: Pick<AnalysisModel, "model" | "settings">,
  question: JsonQuestion<Result>,
  { signal, pause }: Patience,
): Promise<{ result: Result } | { problem: string }> {
  const first: Prompt = [
    { role: "system", content: question.instructions },
    { role: "user", content: [{ type: "text", text: question.material }] },
  ];
  let prompt = first;
  let form: Form = "schema";
  let failures = 0;
  let badAnswers = 0;
  for (;;) {
    const options = { ...settings, ...toOptions(form, question), prompt };
    const reply = await requestReply(model, options, signal);
    if ("error" in reply) {
      const { error } = reply;
      const lesser: Form | undefined =
        error.status === 400 || error.status === 422 ? lesserForm[form] : undefined;
      failures += 1;
      if (lesser !== undefined) form = lesser;
      else if (!error.isRetryable || failures >= MAX_FAILURES) return { problem: error.message };
      else await pause(pauseMs(failures, error.retryAfterMs));
      continue;
    }
    failures = 0;
    const reading = question.read(reply.text, badAnswers);
    if ("result" in reading) return reading;
    badAnswers += 1;
    const { problems } = reading;
    if (badAnswers >= MAX_BAD_ANSWERS) return { problem: describeFailure(reply, problems) };
    prompt = [...first, ...correction(reply.text, problems)];
  }
}

function toOptions(
  form: Form,
  { schema, schemaName: name }: Pick<JsonQuestion<unknown>, "schema" | "schemaName">,
): Omit<CallOptions, "prompt"> {
  const options = {
    // Callers who wait for an answer have priority on the model of this machine.
    providerOptions: { local: { isBackground: true } },
  };
  if (form === "text") return options;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules make it, in a subset of JSON Schema
  const strict = { schema: schema as JsonSchema, name };
  return { ...options, responseFormat: { type: "json", ...(form === "schema" && strict) } };
}

type Reply = { text: string; isRefused: boolean } | { error: ReturnType<typeof toProviderError> };

/** Streams the reply, because the timeout between chunks then lets a slow server finish. */
async function requestReply(model: LanguageModel, options: CallOptions, signal: AbortSignal): Promise<Reply> {
  try {
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    let text = "";
    let isRefused = false;
    for await (const part of stream) {
      if (part.type === "text-delta") text += part.delta;
      if (text.length > MAX_ANSWER_CHARACTERS) break;
      if (part.type === "error") throw part.error;
      if (part.type === "finish") isRefused = part.finishReason.unified === "content-filter";
    }
    signal.throwIfAborted();
    return { text, isRefused };
  } catch (cause) {
    signal.throwIfAborted();
    return { error: toProviderError(cause, `${model.provider}/${model.modelId}`) };
  }
}

function correction(answer: string, problems: readonly string[]): Prompt {
  const text = `That does not do: ${problems.join("; ")}. Give the whole JSON object again.`;
  const quoted = answer.trim().slice(0, MAX_QUOTED_ANSWER_CHARACTERS).toWellFormed();
  return [
    ...(quoted === ""
      ? []
      : [{ role: "assistant" as const, content: [{ type: "text" as const, text: quoted }] }]),
    { role: "user", content: [{ type: "text", text }] },
  ];
}

function describeFailure(
  { text, isRefused }: { text: string; isRefused: boolean },
  problems: readonly string[],
): string {
  if (isRefused) return "the language model refused to answer";
  if (text.trim() === "") return "the language model answered nothing";
  return `the language model's answer was invalid ${MAX_BAD_ANSWERS} times: ${problems.join("; ")}`;
}

function pauseMs(failures: number, askedForMs: number | undefined): number {
  return Math.min(MAX_PAUSE_MS, Math.max(askedForMs ?? 0, FIRST_PAUSE_MS * 2 ** (failures - 1)));
}
