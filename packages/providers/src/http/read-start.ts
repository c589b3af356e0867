/** Reads a body up to a limit. `isWhole`: whether it ended by then. */
export async function readStart(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return { text, isWhole: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), isWhole: true };
}
