/** Bytes that a finished archive may have: it travels to the host in a callback, whose files may have 11 MiB together. */
export const ARCHIVE_BYTES = 11 * 1024 * 1024;
