/** A process whose audio is later than this (99th percentile of 10 s) … */
const MAX_LAG_MS = 5;
/** … in so many reports in a row, one each second, takes no more calls: those that it has would suffer. */
const MAX_LATE_REPORTS = 10;

/** Whether a media process keeps up with its calls, by its own reports. */
export class LagWatch {
  #lateReports = 0;
  #lagP99Ms = 0;

  /** Of the last report. */
  get lagP99Ms(): number {
    return this.#lagP99Ms;
  }

  /** False after ten late reports in a row, until one is in time. */
  get isKeepingUp(): boolean {
    return this.#lateReports < MAX_LATE_REPORTS;
  }

  note(lagP99Ms: number): void {
    this.#lagP99Ms = lagP99Ms;
    this.#lateReports = lagP99Ms > MAX_LAG_MS ? this.#lateReports + 1 : 0;
  }

  /** The process has ended. */
  reset(): void {
    this.note(0);
  }
}
