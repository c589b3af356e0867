/** Lag of audio frames (99th percentile over 10 s) above which a report counts as late. */
const MAX_LAG_MS = 5;
/** Consecutive late reports, one per second, after which a process takes no more calls, to protect those that it has. */
const MAX_LATE_REPORTS = 10;

/** Decides from a media process's reports whether it keeps up with its calls. */
export class LagWatch {
  #lateReports = 0;
  #lagP99Ms = 0;

  /** Lag of the last report. */
  get lagP99Ms(): number {
    return this.#lagP99Ms;
  }

  /** False after ten consecutive late reports, until a report is in time. */
  get isKeepingUp(): boolean {
    return this.#lateReports < MAX_LATE_REPORTS;
  }

  note(lagP99Ms: number): void {
    this.#lagP99Ms = lagP99Ms;
    this.#lateReports = lagP99Ms > MAX_LAG_MS ? this.#lateReports + 1 : 0;
  }

  /** Resets the reports after the end of the process. */
  reset(): void {
    this.note(0);
  }
}
