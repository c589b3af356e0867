/** Saves a file under a name, as if its link had been clicked. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name.replaceAll(/[\\/:]/g, "-");
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves a value as a file of JSON. */
export function downloadJson(name: string, value: unknown): void {
  saveFile(name, new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
}
