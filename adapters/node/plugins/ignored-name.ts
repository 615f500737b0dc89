/** Folders that tools fill, not people: too many files, and none that the plugin itself is made of. */
const FOLDERS = new Set(['node_modules', '__pycache__', 'venv']);

/** What editors leave beside the file that they write, and what Python compiles. */
const PASSING = /(?:~|\.py[cod]|\.tmp|\.swp|\.swx|^#.*#|^4913)$/;

/**
 * Whether a change of this file or folder says nothing about the plugin. Names that begin with a dot are the business
 * of tools (`.git`, `.venv`, swap files); two dots are how Kubernetes swaps a whole mounted folder, which counts.
 */
export const isIgnoredName = (name: string): boolean => /^\.[^.]/.test(name) || FOLDERS.has(name) || PASSING.test(name);
