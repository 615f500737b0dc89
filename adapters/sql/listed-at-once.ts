/** Values that one list of a statement may have: D1 binds a hundred, and the statement may have others. */
export const LISTED_AT_ONCE = 90;
