/**
 * One thing that must be right for the server to do its work. `check` gives a note for operators or null, and rejects
 * with what is wrong.
 */
export type ReadinessCheck = { readonly name: string; check(): Promise<string | null> };
