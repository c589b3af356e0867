/** Saves a value as a file of JSON. */
export function downloadJson(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), {
    href: url,
    download: name.replaceAll(/[\\/:]/g, "-"),
  });
  link.click();
  URL.revokeObjectURL(url);
}
