/** Bytes of one note; larger files are no notes and are counted as left out. */
export const NOTE_BYTES = 4 * 1024 * 1024;
/** Bytes of front matter; a longer block is taken for text. */
export const FRONT_MATTER_BYTES = 64 * 1024;
/** Notes of one folder; a search of more says that it is incomplete. */
export const NOTES = 100_000;
/** Folders below the notes folder. */
export const FOLDER_DEPTH = 32;
/** Bytes of text in one answer of GetNote. */
export const BODY_BYTES = 256 * 1024;
/** Words and phrases of one query. */
export const QUERY_TERMS = 32;
/** Characters of one indexed word: what is longer is no word. */
export const TERM_CHARACTERS = 64;
/** UTF-16 units of a snippet. */
export const SNIPPET_LENGTH = 240;
/** UTF-16 units of a note in which snippets are looked for. */
export const SNIPPET_SEARCH_LENGTH = 64 * 1024;
/** Notes that one transaction of the index takes in, at most. */
export const BATCH_NOTES = 200;
/** Bytes of notes after which a transaction of the index ends. */
export const BATCH_BYTES = 1024 * 1024;
/** Terms that are made between two looks at whether the call was cancelled. */
export const TERMS_BETWEEN_PAUSES = 10_000;
/** Milliseconds of a call that are left for the search when the index is brought up to date. */
export const SEARCH_MS = 2_000;
/** Milliseconds within which two changes of a file may leave the same time of change. */
export const TIMESTAMP_GRAIN_MS = 2_000;
/** Milliseconds that a process waits for another's transaction on the index. */
export const BUSY_MS = 5_000;
