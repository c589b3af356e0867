/** Names the file that the leak guard reports to. Every process that a test file starts inherits it and is known by it. */
export const REPORT_VARIABLE = "PARLEY_TEST_LEAK_REPORT";
/** Set if the leak guard records what starts each timer. */
export const TRACE_TIMERS_VARIABLE = "PARLEY_TEST_TRACE_TIMERS";
