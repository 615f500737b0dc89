/**
 * Every limit of the runtime, with its unit. Each can be overridden by the operator's configuration or, where a
 * manifest has a field for it, tightened by the manifest.
 */
export const DEFAULT_LIMITS = {
  /** Levels of nesting that a JSON text may have. */
  jsonDepth: 64,
  /** Values, containers included, that a JSON text may hold. */
  jsonNodes: 2_000_000,
  /** Bytes of one stdio frame. */
  frameBytes: 16 * 1024 * 1024,
  /** Bytes of a child's stderr that are kept, from its end. */
  stderrBytes: 64 * 1024,
  /** Progress frames that one call may send before the rest is ignored. */
  progressFrames: 10_000,
  /** Bytes of an HTTP request body. */
  requestBodyBytes: 16 * 1024 * 1024,
  /** Milliseconds that a call may take when its manifest does not say. */
  callTimeoutMs: 60_000,
  /** Calls of one stdio tool that run at once when its manifest does not say. */
  stdioConcurrency: 8,
  /** Calls of one in-process tool that run at once when its manifest does not say. */
  directConcurrency: 256,
  /** Calls of one tool that may wait for their turn. */
  queuedCalls: 1_024,
  /** Milliseconds between asking a process group to stop and killing it. */
  killGraceMs: 750,
  /** Milliseconds that output may still come after the process has gone and its group was killed. */
  drainMs: 1_000,
  /** Resources of one result. */
  resourcesPerResult: 64,
  /** Bytes of one resource. */
  resourceBytes: 64 * 1024 * 1024,
  /** Bytes of all resources of one result. */
  resourceBytesPerResult: 256 * 1024 * 1024,
  /** Bytes of JSON that one manifest may have. */
  manifestBytes: 1024 * 1024,
  /** Problems that are listed before the rest is only counted. */
  reportedIssues: 16,
  /** Characters of redacted data that an audit record keeps. */
  auditDataCharacters: 8 * 1024,
} as const satisfies Record<string, number>;

export type Limits = { readonly [Name in keyof typeof DEFAULT_LIMITS]: number };
