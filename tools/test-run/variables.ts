/** Names the file that the leak guard reports to. Every process that a test file starts inherits it and is known by it. */
export const REPORT_VARIABLE = "TEST_RUN_LEAK_REPORT";
/** Set if the leak guard records what starts each timer. */
export const TRACE_TIMERS_VARIABLE = "TEST_RUN_TRACE_TIMERS";
