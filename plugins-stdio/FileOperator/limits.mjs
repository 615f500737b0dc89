/** Bytes of a text that is read or changed by lines. */
export const TEXT_FILE_BYTES = 64 * 1024 * 1024;
/** Lines of such a text. */
export const TEXT_LINES = 2_000_000;
/** Bytes of a file that is searched; larger ones are counted as skipped. */
export const SEARCH_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes of text in one answer of Read. */
export const CONTENT_BYTES = 256 * 1024;
/** Bytes of a file that an answer may carry as a resource: the host's own default. */
export const RESOURCE_BYTES = 64 * 1024 * 1024;
/** Lines that Read gives when it is not told. */
export const READ_LINES = 2_000;
/** Entries that a walk looks at before it stops and says so. */
export const WALKED_ENTRIES = 100_000;
/** Folders below the one that a recursive command is given. */
export const WALK_DEPTH = 64;
/** Characters of one line in the answer of Search. */
export const LINE_CHARACTERS = 500;
/** Characters of the diff in the answer of ApplyDiff. */
export const DIFF_CHARACTERS = 64 * 1024;
/** Milliseconds after which the comparison for that diff is given up. */
export const DIFF_MS = 250;
