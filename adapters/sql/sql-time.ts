/** The last moment whose text compares with others as it should: years of five digits do not. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch as the columns hold them: RFC 3339 in UTC with milliseconds. */
export const sqlTime = (time: number): string => new Date(Math.min(time, LAST)).toISOString();
