/** The statuses that end with exit code 0. */
export const SUCCESSFUL: ReadonlySet<string> = new Set(['success', 'accepted', 'partial']);
