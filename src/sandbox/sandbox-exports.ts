/** What the sandbox exports for the host: the remaining fuel (i64), and whether growth was refused (i32). */
export const FUEL_EXPORT = '__vcp_fuel';
export const DENIED_EXPORT = '__vcp_denied';
/** The memory, whatever the module itself calls it, or whether it exports it at all. */
export const MEMORY_EXPORT = '__vcp_memory';
