/** Reads the text of an object as JSON, or says what is wrong with it. */
export function readJsonObject(text: string): { value: Record<string, unknown> } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
    return { fault: "must be an object: { … }" };
  } catch (error) {
    return { fault: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
