/** Whether the text is the name of a timezone in the IANA database. */
export function isTimezone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    // Intl also accepts offsets such as "+02:00", but they have no daylight saving time.
    return !/^[+-]/.test(timeZone);
  } catch {
    return false;
  }
}
