/** Whether a model takes a sampling temperature: OpenAI's reasoning models refuse requests with one. */
export function takesTemperature(model: string): boolean {
  return !/^(o\d|gpt-5(?!.*chat))/.test(model);
}
