/**
 * What differs on Workers unless a variable says otherwise. An isolate has 128 MB for all calls that run in it at the
 * same time, and the platform ends a request that computes for too long: fuel has to end a guest before it does. What is
 * due is looked at each minute: what is a little late was not missed, and what is due more often could not be served. A
 * guest that computes lets no sign of life out of its isolate, and nobody looks for lost runs more often than that.
 */
export const EDGE_DEFAULTS: Readonly<Record<string, string>> = {
  VCP_LIMIT_WASM_MEMORY_PAGES: '512',
  VCP_LIMIT_WASM_FUEL: '5000000000',
  VCP_LIMIT_WASM_HOST_BYTES: String(16 * 1024 * 1024),
  VCP_LIMIT_WASM_OUTPUT_BYTES: String(8 * 1024 * 1024),
  // An object reads them all whenever it is woken.
  VCP_LIMIT_KEPT_EVENTS: '1000',
  VCP_LIMIT_KEPT_EVENT_BYTES: String(4 * 1024 * 1024),
  VCP_LIMIT_SCHEDULE_LOOK_MS: '60000',
  VCP_LIMIT_SHORTEST_SCHEDULE_MS: '60000',
  VCP_LIMIT_SCHEDULE_LATE_MS: '180000',
  VCP_LIMIT_SCHEDULE_LEASE_MS: '120000',
  VCP_LIMIT_APPROVAL_LEASE_MS: '120000',
};
